import type { Input, Unwrap } from "@pulumi/pulumi";

import { SIGNAL_NAME } from "../../../provider/contract/runOptions";
import type { MiniClusterSpec } from "../../spec";

/** What happens to the command when ranks are lost. */
export const OnRankLoss = {
    /** The command fails. */
    Fail: "fail",
    /** The command waits for as many ranks as before, and starts again on them. */
    Rerun: "rerun",
    /** The command starts again on the ranks that are up, at least `minSize`. */
    Continue: "continue",
} as const;

export type OnRankLoss = (typeof OnRankLoss)[keyof typeof OnRankLoss];

export declare namespace OnRankLoss {
    export type Fail = "fail";
    export type Rerun = "rerun";
    export type Continue = "continue";
}

/**
 * The notice that the command gets before one of its pods ends: by an eviction, a preemption, the drain of a node,
 * `suspend` or `pulumi destroy`.
 */
export interface CheckpointArgs {
    /** Name of the signal that all tasks get, with or without SIG. @default USR1 */
    signal?: Input<string>;
    /**
     * Seconds from the signal until the tasks are ended; 1 or more. If the command ends by itself within this time, it
     * counts as interrupted, whatever its exit code is.
     * @default 30
     */
    seconds?: Input<number>;
}

/** The arguments about a command that may be started again. */
export interface AttemptsGiven {
    readonly onRankLoss?: OnRankLoss;
    readonly checkpoint?: Unwrap<CheckpointArgs>;
}

/** The decisions on a command that may be started again. */
export interface Attempts {
    readonly onRankLoss: OnRankLoss;
    /** The notice that the command gets before the end of one of its pods. `seconds` is the time that it has then. */
    readonly checkpoint?: { readonly signal: string; readonly seconds: number };
}

/** True if the command is started again after the loss of ranks. */
export function reruns({ onRankLoss }: Pick<Attempts, "onRankLoss">): boolean {
    return onRankLoss !== OnRankLoss.Fail;
}

/** True if each attempt needs all ranks of the cluster, so that it waits for the new pod of each lost one. */
export function needsAllRanks({
    maxSize,
    minSize,
    nodes = minSize === maxSize ? maxSize : undefined,
    onRankLoss,
    size,
    tasks = size,
    tasksPerNode,
}: MiniClusterSpec): boolean {
    const onAll = nodes !== undefined && nodes >= size && (tasks >= size || tasksPerNode !== undefined);
    return onRankLoss === OnRankLoss.Rerun && onAll;
}

/** True if a pod tells the command before it ends. */
export function givesNotice(of: Attempts): boolean {
    return reruns(of) || of.checkpoint !== undefined;
}

export function decideAttempts({ checkpoint, onRankLoss = OnRankLoss.Fail }: AttemptsGiven): Attempts {
    const notice = checkpoint && { signal: checkpoint.signal ?? SIGNAL_NAME, seconds: checkpoint.seconds ?? 30 };
    return { onRankLoss, checkpoint: notice };
}
