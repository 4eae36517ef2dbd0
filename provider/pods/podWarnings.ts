import type { Observation } from "./observation";
import type { Pod } from "./pod";
import type { Warning } from "./warnings";

/** Reasons of kubelets and of the attach controller for a pod that they can't go on with. */
const BLOCKING = new Set([
    "FailedAttachVolume",
    "FailedCreatePodContainer",
    "FailedCreatePodSandBox",
    "FailedMapVolume",
    "FailedMount",
    "FailedMountOnFilesystemMismatch",
    "FailedPodSandBoxStatus",
    "FailedPrepareDynamicResources",
    "FailedSync",
    "NetworkNotReady",
]);

/** Words of a kubelet that sums up: the step that fails has a warning of its own. */
const GENERIC = /^(?:Unable to attach or mount volumes: |[Ee]rror syncing pod|Error: \w+$)/;

/**
 * The warnings about a pod whose cause may still be there, the newest first. A pod that has a node has left its scheduler,
 * and one that has a sandbox has its volumes and its network.
 */
export function ownWarnings({ node, sandboxAt, scheduler, uid }: Pod, seen: Observation): Warning[] {
    return seen.warningsOf(uid).filter(({ last, reason, source }) => {
        const isScheduling =
            reason === "FailedScheduling" || source === scheduler || /scheduler|scaler|karpenter/.test(source);
        return !(node !== undefined && isScheduling) && !(sandboxAt !== undefined && last <= sandboxAt);
    });
}

/** True for a warning that tells why a pod can't start; false for one that a starting pod may have too. */
export function keepsFromStarting({ sandboxAt }: Pod, { reason }: Warning): boolean {
    return sandboxAt === undefined && BLOCKING.has(reason);
}

export function isGeneric({ message }: Warning): boolean {
    return GENERIC.test(message);
}
