import type { Json } from "../../provider/contract/object";

export interface JobEvent {
    readonly name: string;
    /** Seconds since 1970. */
    readonly timestamp: number;
    readonly context?: Readonly<Record<string, Json>>;
}

/** A resource of a jobspec (RFC 14): a number of nodes, slots, cores or GPUs, each with others in it. */
export interface Resource {
    readonly type: string;
    readonly count: number | { readonly min: number };
    readonly exclusive?: boolean;
    readonly with?: readonly Resource[];
}

/** What `explain.py` prints. A fact that Flux hasn't told is null. */
export interface Facts {
    /** In the plain form of base 58. */
    readonly jobId: string;
    /** In decimal form. */
    readonly id: string;
    readonly events: readonly JobEvent[];
    readonly wish: {
        readonly name: string;
        readonly resources: readonly Resource[];
        readonly queue?: string;
        readonly duration?: number;
        readonly constraints?: Json;
    };
    /** The lines of `flux queue status`. These facts are missing if the job has its resources. */
    readonly queue?: readonly string[] | null;
    /** State, nodes, cores, GPUs and ranks. */
    readonly nodes?: readonly (readonly string[])[] | null;
    /** Ranks and reason. */
    readonly drained?: readonly (readonly string[])[] | null;
    /** Id, nodes, cores, ranks, seconds and name. */
    readonly running?: readonly (readonly string[])[] | null;
    /** Id in decimal and in plain form, priority and name. */
    readonly waiting?: readonly (readonly string[])[] | null;
    /** The end of the output of a job that has ended. */
    readonly output?: string;
    /** Why the output can't be read. */
    readonly unreadable?: string;
}

/** Why a job waits, or how it has ended, for programs. */
export type Reason =
    | "dependency"
    | "held"
    | "priority"
    | "queueStopped"
    | "nodes"
    | "resources"
    | "order"
    | "scheduler"
    | "prolog"
    | "running"
    | "ending"
    | "succeeded"
    | "failed"
    | "cancelled"
    | "timeout"
    | "refused"
    | "exception";

export interface Explanation {
    readonly jobId: string;
    readonly name: string;
    readonly reason: Reason;
    readonly sentences: readonly string[];
    /** The highest exit code of its tasks; null if they haven't ended, or never ran. */
    readonly exitCode: number | null;
    /** The last lines of its output; null for a job that has not ended. */
    readonly output: string | null;
}

/** A part of an explanation. */
export interface Part {
    readonly reason: Reason;
    readonly sentences: readonly string[];
}

export function find(events: readonly JobEvent[], name: string): JobEvent | undefined {
    return events.find((event) => event.name === name);
}

export function count(events: readonly JobEvent[], name: string): number {
    return events.filter((event) => event.name === name).length;
}
