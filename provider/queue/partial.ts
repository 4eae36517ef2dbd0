import { LEAST_PODS, QUEUE_LABEL } from "../contract/labels";

interface Marked {
    readonly metadata?: {
        readonly annotations?: Readonly<Record<string, string>>;
        readonly labels?: Readonly<Record<string, string>>;
    };
}

/** True if Kueue may start the Job with fewer pods than wanted. Then Kueue decides on its size. */
export function isSizedByQueue({ metadata }: Marked): boolean {
    return metadata?.labels?.[QUEUE_LABEL] !== undefined && metadata.annotations?.[LEAST_PODS] !== undefined;
}
