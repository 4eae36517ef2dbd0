import { LEAST_PODS, QUEUE_LABEL } from "../contract/labels";

interface Marked {
    readonly metadata?: {
        readonly annotations?: Readonly<Record<string, string>>;
        readonly labels?: Readonly<Record<string, string>>;
    };
}

/** The least number of pods with which Kueue may start the Job; undefined if it starts all or none. */
export function leastInQueue({ metadata }: Marked): string | undefined {
    return metadata?.labels?.[QUEUE_LABEL] === undefined ? undefined : metadata.annotations?.[LEAST_PODS];
}

/** True if Kueue may start the Job with fewer pods than wanted. Then Kueue decides on its size. */
export function isSizedByQueue(job: Marked): boolean {
    return leastInQueue(job) !== undefined;
}
