import type { Input } from "@pulumi/pulumi";

import { FAILURES, REMOVALS } from "../../../provider/contract/labels";
import {
    type Attempts,
    type CheckpointArgs,
    decideAttempts,
    givesNotice,
    needsAllRanks,
    type OnRankLoss,
    reruns,
} from "./lossPolicy";
import { scriptsIn } from "../../parts/scripts";
import { type Feature, when } from "../feature";
import { validateAttempts } from "./rules";

export { type AttemptsGiven, decideAttempts, givesNotice, reruns } from "./lossPolicy";

export interface AttemptsArguments {
    /**
     * What happens to the command when Kubernetes removes one of its pods (eviction, preemption, loss of the node). If
     * the command starts again, MINICLUSTER_ATTEMPT has the number of the attempt, and MINICLUSTER_ATTEMPT_REASON the
     * reason: `start`, `rank-loss`, `lead-loss` or `failure`. There is no limit on attempts that such a loss has ended. A
     * command that fails by itself counts as a failure, and `backoffLimit` is the limit of failures.
     * @default OnRankLoss.Fail
     */
    onRankLoss?: Input<OnRankLoss>;
    /** A signal to the command before one of its pods ends, so that it can save its work. @default none */
    checkpoint?: Input<CheckpointArgs>;
}

export interface Decided extends Attempts {}

export const attempts: Feature<AttemptsArguments, Decided> = {
    decide: decideAttempts,

    problems: validateAttempts,

    ...when((spec) => givesNotice(spec) && spec, {
        files: () => scriptsIn(__dirname, "attempt.sh", "attempts.sh", "notice.sh"),
        parameters: (spec) => ({
            checkpointSeconds: spec.checkpoint && String(spec.checkpoint.seconds),
            checkpointSignal: spec.checkpoint?.signal,
            onRankLoss: reruns(spec) ? spec.onRankLoss : undefined,
        }),
        fields: () => COUNTS,
        // The Job fails by `backoffLimit` alone. With a limit for each index, Kubernetes writes into each pod how many pods
        // of its rank were before it, and a new pod of one rank doesn't wait longer because of the losses of other ranks.
        job: () => ({ backoffLimitPerIndex: NO_LIMIT }),
    }),

    statusInputs: { needsAllRanks: (spec) => needsAllRanks(spec) || undefined },
};

/** Largest value of a Kubernetes int32 field, in practice no limit. */
const NO_LIMIT = 2147483647;

/** The counts of the rank's earlier pods, by which the lead knows the number of its first attempt. */
const COUNTS = {
    failures: `metadata.annotations['${FAILURES}']`,
    removals: `metadata.annotations['${REMOVALS}']`,
};
