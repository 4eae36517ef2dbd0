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
export function ownWarnings(pod: Pod, seen: Observation): Warning[] {
    const { node, scheduler, uid } = pod;
    const sandboxAt = sandboxOf(pod, seen);
    return seen.warningsOf(uid).filter(({ last, reason, source }) => {
        const isScheduling =
            reason === "FailedScheduling" || source === scheduler || /scheduler|scaler|karpenter/.test(source);
        return !(node !== undefined && isScheduling) && !(sandboxAt !== undefined && last <= sandboxAt);
    });
}

/** True for a warning that tells why a pod can't start; false for one that a starting pod may have too. */
export function keepsFromStarting(pod: Pod, { reason }: Warning, seen: Observation): boolean {
    return sandboxOf(pod, seen) === undefined && BLOCKING.has(reason);
}

/**
 * Since when a pod has its volumes and its network. Kubelets before 1.36 write that into its status only after the first
 * pull of an image, and they pull nothing before. A status of later than the pull says that the pod has lost them again.
 */
function sandboxOf({ noSandboxAt = 0, sandboxAt, uid }: Pod, seen: Observation): number | undefined {
    const pull = seen.pullOf(uid);
    return sandboxAt ?? (pull !== undefined && pull >= noSandboxAt ? pull : undefined);
}

export function isGeneric({ message }: Warning): boolean {
    return GENERIC.test(message);
}
