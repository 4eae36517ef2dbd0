import type { KubernetesObject, V1Condition, V1PodTemplateSpec } from "@kubernetes/client-node";

/** The fields that are read of a Workload, in which Kueue keeps its decisions on a Job. */
export interface Workload extends KubernetesObject {
    readonly spec?: {
        readonly queueName?: string;
        readonly podSets?: readonly { readonly count: number; readonly template: V1PodTemplateSpec }[];
    };
    readonly status?: { readonly conditions?: readonly V1Condition[] };
}

/** Annotation of a Workload that is to replace another one, because the Job has grown. Kueue counts only the difference. */
const REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for";

export function isGrowth({ metadata }: Workload): boolean {
    return metadata?.annotations?.[REPLACES] !== undefined;
}

/**
 * Why Kueue has not admitted a Workload; undefined if it has, or gives no reason. A Workload with a quota may wait for
 * admission checks.
 * @see https://kueue.sigs.k8s.io/docs/concepts/workload/
 */
export function waitingCondition({ status }: Workload): V1Condition | undefined {
    const of = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
    const hasEnded = of("Finished")?.status === "True";
    return hasEnded ? undefined : [of("QuotaReserved"), of("Admitted")].find((found) => found?.status === "False");
}

/** The Workload of a Job that waits, the newest first: a Job that grows has one for its new size beside the admitted one. */
export function waitingWorkload(all: readonly Workload[]): Workload | undefined {
    const created = ({ metadata }: Workload) => new Date(metadata?.creationTimestamp ?? 0).getTime();
    const waiting = all.filter((workload) => waitingCondition(workload) !== undefined);
    return [...waiting].sort((a, b) => created(b) - created(a))[0];
}
