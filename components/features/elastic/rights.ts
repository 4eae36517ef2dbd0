import { namesOf } from "../../../provider/contract/names";
import { TOKEN_DIR } from "../../parts/paths";
import type { Mount } from "../../parts/mount";
import type { PodRight } from "../../parts/podRight";
import type { MiniClusterSpec } from "../../spec";

/** Rights of the pods' service account: its own Job, and no other object. */
export function elasticRules({ name }: MiniClusterSpec): PodRight[] {
    return [
        { apiGroups: ["batch"], resources: ["jobs"], resourceNames: [namesOf(name).cluster], verbs: ["get", "patch"] },
    ];
}

/** Folder with the Job's uid, by which the program never changes another Job of the same name. */
const UID = "metadata.labels['batch.kubernetes.io/controller-uid']";

/**
 * A token of the pods' service account, mounted only in the container that sizes the cluster: no broker and no job can
 * read it. The kubelet renews it.
 */
export const ELASTIC_TOKEN: Mount = {
    mountPath: TOKEN_DIR,
    readOnly: true,
    volume: {
        name: "flux-elastic",
        projected: {
            defaultMode: 0o444,
            sources: [
                { serviceAccountToken: { path: "token", expirationSeconds: 3600 } },
                { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
                {
                    downwardAPI: {
                        items: [
                            { path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } },
                            { path: "uid", fieldRef: { fieldPath: UID } },
                        ],
                    },
                },
            ],
        },
    },
};
