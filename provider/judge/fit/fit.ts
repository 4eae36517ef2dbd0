import type { ClusterAccess } from "../../kubernetes/kubeconfig/clusterAccess";
import { connect, type Patience } from "../../kubernetes/client";
import { isExtended } from "./amounts";
import { requestsOf, withApiDefaults } from "./requests";
import { DEADLINE, type Survey, survey } from "./survey";
import { isPlacedByDefault } from "./uncounted";
import type { Wish } from "./wish";

export { type Verdict, verdictOf } from "./verdict";
export type { Survey } from "./survey";
export type { Wish } from "./wish";

/** A request that isn't answered in time isn't repeated: the whole survey has no longer. */
const ONCE: Patience = { seconds: DEADLINE / 1000, tries: 1 };

/** Reads what decides whether pods of this template fit into a cluster. Never fails. */
export function surveyFor(
    access: ClusterAccess,
    { namespace, queue, template }: Pick<Wish, "namespace" | "queue" | "template">,
): Promise<Survey> {
    const spec = template.spec ?? { containers: [] };
    return survey(connect(access, ONCE), {
        namespace,
        queue,
        nodes: isPlacedByDefault(spec),
        devices: Object.keys(requestsOf(withApiDefaults(spec))).some(isExtended),
    });
}
