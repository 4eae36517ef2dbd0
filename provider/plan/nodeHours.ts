import { FLUX_CONTAINER } from "../contract/names";
import type { KubernetesObject } from "../contract/object";
import { SCRIPT_ENVIRONMENT } from "../contract/scriptVariables";
import type { IndexedJobInputs } from "../indexedJob/properties";
import { isUnknown } from "../unknown";

type Sized = Pick<IndexedJobInputs, "manifest" | "maxSize" | "sizedBy">;

/**
 * The most hours of nodes that the pods take which a change starts, each counted as a node: by `activeDeadlineSeconds`,
 * or by `timeLimit` of the command, which counts from its start. Null without both, or if a value is unknown or secret.
 */
export function nodeHoursOf(wanted: Sized, before?: KubernetesObject): number | null {
    const { manifest } = wanted;
    if (typeof manifest !== "object" || isUnknown([manifest.spec?.parallelism, manifest.spec?.activeDeadlineSeconds])) {
        return null;
    }
    const pods = startedPods(wanted, before);
    const limits = [manifest.spec.activeDeadlineSeconds, commandLimit(manifest)].filter(
        (limit) => typeof limit === "number",
    );
    if (pods === 0) {
        return 0;
    }
    return limits.length === 0 ? null : (pods * Math.min(...limits)) / 3600;
}

/** Number of pods that the change starts: those that a cluster may size itself to, too. */
function startedPods({ manifest, maxSize, sizedBy }: Sized, before: KubernetesObject | undefined): number {
    const size: number = sizedBy === undefined ? manifest.spec.parallelism : (maxSize ?? manifest.spec.parallelism);
    if (before === undefined || before.spec.suspend === true) {
        return manifest.spec.suspend === true ? 0 : size;
    }
    return sizedBy === undefined ? Math.max(0, size - before.spec.parallelism) : 0;
}

function commandLimit({ spec }: KubernetesObject): number | undefined {
    const containers: readonly Container[] = spec.template.spec.containers;
    const { env = [] } = containers.find(({ name }) => name === FLUX_CONTAINER) ?? {};
    const options = env.find(({ name }) => name === SCRIPT_ENVIRONMENT.runOptions)?.value ?? "";
    const seconds = /^--time-limit=(\d+)s$/m.exec(options)?.[1];
    return seconds === undefined ? undefined : Number(seconds);
}

interface Container {
    readonly name: string;
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
}
