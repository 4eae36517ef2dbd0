import type { Input } from "@pulumi/pulumi";

import { lazily } from "../../parts/lazily";
import { broken, type Problem } from "../../rules/problem";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

export interface SizeArguments {
    /** Number of ranks. Each rank is a pod. @default 1 */
    size?: Input<number>;
    /**
     * Number of ranks that must have joined before the lead starts work: the quorum. A command runs on no fewer ranks. If
     * it is below `size`, the command may run on fewer ranks than `size`: on those that have joined when it starts.
     * @default `size`, or 1 if `maxSize` is given without a command
     */
    minSize?: Input<number>;
    /**
     * Number of ranks up to which the cluster can grow without being replaced. With a command this needs `minSize` too:
     * without it, the command gets exactly `size` ranks, so another `size` replaces the Job.
     * @default `size`
     */
    maxSize?: Input<number>;
}

export interface Decided extends Decide<SizeArguments, keyof SizeArguments> {
    /** Another `size` up to `maxSize` doesn't replace the cluster. */
    readonly mayGrow: boolean;
}

export const size: Feature<SizeArguments, Decided> = {
    decide: (args, { mode }) =>
        lazily<Decided>({
            size: () => args.size ?? 1,
            minSize: () => args.minSize ?? (args.maxSize === undefined || mode === "ephemeral" ? (args.size ?? 1) : 1),
            maxSize: () => mostRanks(args),
            mayGrow: () => mostRanks(args) > (args.size ?? 1) && (mode === "persistent" || args.minSize !== undefined),
        }),

    problems: validateSizes,

    parameters: ({ minSize }) => ({ quorum: String(minSize) }),

    job: (spec) => ({ completions: spec.size, parallelism: spec.size }),
    jobInputs: { maxSize: (spec) => spec.maxSize },
    statusInputs: {
        size: (spec) => spec.size,
        quorum: (spec) => (spec.minSize < spec.size ? spec.minSize : undefined),
    },
};

/** The default of `maxSize`: the number of ranks up to which a cluster can grow without being replaced. */
export function mostRanks(args: { readonly maxSize?: number; readonly size?: number }): number {
    return args.maxSize ?? args.size ?? 1;
}

/** KEP-3715 and the Job API allow more ranks, but the status of more indexes doesn't fit into an object. */
const MOST_RANKS = 100_000;

function validateSizes({ maxSize, minSize, size: ranks }: MiniClusterSpec): Problem[] {
    const isOff = ranks >= 1 && (minSize < 1 || minSize > ranks);
    const largest = ranks === maxSize ? "size" : "maxSize";
    return broken([
        [ranks < 1, "size", `is ${ranks}; a cluster has at least 1 rank. To stop its pods, use suspend.`],
        [ranks > maxSize, "size", `is ${ranks}, above maxSize ${maxSize}. Lower it or raise maxSize.`],
        [maxSize > MOST_RANKS, largest, `is ${maxSize}; a cluster has up to ${MOST_RANKS} ranks. Lower it.`],
        [isOff, "minSize", `is ${minSize}; the quorum must be from 1 to size ${ranks}.`],
    ]);
}
