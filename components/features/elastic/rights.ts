import { namesOf } from "../../../provider/contract/names";
import type { PodRight } from "../../parts/podRight";
import { tokenMount } from "../../parts/tokenMount";
import type { MiniClusterSpec } from "../../spec";

/** Rights of the pods' service account: its own Job, and no other object. */
export function elasticRules({ name }: MiniClusterSpec): PodRight[] {
    return [
        { apiGroups: ["batch"], resources: ["jobs"], resourceNames: [namesOf(name).cluster], verbs: ["get", "patch"] },
    ];
}

/** The token. Beside it is the Job's uid, by which the program never changes another Job of the same name. */
export const ELASTIC_TOKEN = tokenMount("flux-elastic", {
    uid: "metadata.labels['batch.kubernetes.io/controller-uid']",
});
