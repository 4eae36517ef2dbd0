import { FLUX_CONTAINER } from "../contract/names";
import type { KubernetesObject } from "../contract/object";
import { SCRIPT_ENVIRONMENT } from "../contract/scriptVariables";
import { isSuspended } from "../judge/queue/queuedJob";
import type { IndexedJobInputs } from "../indexedJob/properties";
import { isUnknown } from "../host/unknown";

type Sized = Pick<IndexedJobInputs, "manifest" | "maxSize" | "sizedBy" | "wake">;

/**
 * The most hours of nodes that a change adds, each pod counted as a node: by `activeDeadlineSeconds`, or by `timeLimit` of
 * a command that runs once, which counts from its start. Null without both, or if a value is unknown or secret.
 */
export function nodeHoursOf(wanted: Sized, before?: KubernetesObject): number | null {
    const { manifest } = wanted;
    if (typeof manifest !== "object" || isUnknown([manifest.spec?.parallelism, manifest.spec?.activeDeadlineSeconds])) {
        return null;
    }
    const limit = limitOf(manifest);
    const seconds = times(startedPods(wanted, before), limit);
    const more = before === undefined ? 0 : times(keptPods(wanted, before), lengthened(limit, limitOf(before)));
    return Number.isFinite(seconds + more) ? (seconds + more) / 3600 : null;
}

function times(pods: number, seconds: number): number {
    return pods === 0 || seconds === 0 ? 0 : pods * seconds;
}

/** The seconds that pods may run longer. */
function lengthened(limit: number, before: number): number {
    return limit > before ? limit - before : 0;
}

/** Number of pods that the change starts: those that a cluster may size itself to, too. */
function startedPods({ manifest, maxSize, sizedBy, wake }: Sized, before: KubernetesObject | undefined): number {
    const size: number = sizedBy === undefined ? manifest.spec.parallelism : (maxSize ?? manifest.spec.parallelism);
    if (isSuspended(manifest)) {
        return 0;
    }
    if (before === undefined || isSuspended(before) || wake) {
        return size;
    }
    return sizedBy === undefined ? Math.max(0, size - before.spec.parallelism) : 0;
}

function keptPods({ manifest, maxSize, sizedBy, wake }: Sized, before: KubernetesObject): number {
    if (isSuspended(before) || isSuspended(manifest) || wake) {
        return 0;
    }
    return sizedBy === undefined ? Math.min(manifest.spec.parallelism, before.spec.parallelism) : (maxSize ?? 0);
}

/** Seconds that a pod runs at most. */
function limitOf({ spec }: KubernetesObject): number {
    const { activeDeadlineSeconds: deadline = Infinity } = spec as { activeDeadlineSeconds?: number };
    // The limit of a command that may start again counts for each attempt.
    const isOnce = spec.backoffLimit === 0 && spec.backoffLimitPerIndex === undefined;
    return Math.min(deadline, isOnce ? commandLimit(spec) : Infinity);
}

function commandLimit({ template }: KubernetesObject): number {
    const containers: readonly Container[] = template.spec.containers;
    const { env = [] } = containers.find(({ name }) => name === FLUX_CONTAINER) ?? {};
    const options = env.find(({ name }) => name === SCRIPT_ENVIRONMENT.runOptions)?.value ?? "";
    return Number(/^--time-limit=(\d+)s$/m.exec(options)?.[1] ?? Infinity);
}

interface Container {
    readonly name: string;
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
}
