import { Calls } from "./calls";
import { HISTORY_PROGRAM } from "./programs";

/** Cores and GPUs of ranks, each as an idset. @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_20.html */
export interface RankResources {
    readonly rank: string;
    readonly children: { readonly core?: string; readonly gpu?: string };
}

/** A change of the ranks of an instance. */
export interface RankChange {
    /** Seconds since 1970, as all times of Flux. */
    readonly at: number;
    /** `restart` (the ranks that were online already), `online`, `offline`, `drain`, `undrain` and others. */
    readonly name: string;
    /** An idset. */
    readonly ranks: string;
    readonly reason: string;
}

/** A job of an instance. Without a time, it has not come so far. */
export interface PastJob {
    readonly id: string;
    readonly name: string;
    readonly user?: number | null;
    readonly queue?: string;
    readonly submit?: number;
    /** When the jobs that it depends on had ended. */
    readonly depend?: number;
    readonly alloc?: number;
    readonly start?: number;
    readonly finish?: number;
    readonly clean?: number;
    /** The wait status of its tasks. */
    readonly status?: number;
    /** The exception that has ended it. */
    readonly exception?: { readonly at: number; readonly type: string; readonly note: string };
    readonly resources?: readonly RankResources[];
}

/** What Flux remembers of an instance. */
export interface History {
    /** Version of Flux. */
    readonly flux: string;
    /** The lead's time. */
    readonly now: number;
    /** When the lead's broker started: earlier changes of the ranks are lost. */
    readonly started: number;
    /** All jobs that Flux remembers. */
    readonly count: number;
    /** The last ones to be submitted, in that order. */
    readonly jobs: readonly PastJob[];
    readonly resources: readonly RankResources[] | null;
    readonly changes: readonly RankChange[];
}

/** Seconds in which the lead has to tell all of it. */
const HISTORY_TIMEOUT = 60;

/** Reads what Flux remembers, with one call. */
export class HistoryReader extends Calls {
    /** At most so many jobs, the last ones to be submitted. */
    async read(most: number): Promise<History> {
        const words = ["ask", HISTORY_PROGRAM, String(most)];
        return parseHistory(await this.text(words, HISTORY_TIMEOUT, "Flux' history can't be read"));
    }
}

interface Instance extends Omit<History, "changes" | "count" | "jobs"> {
    readonly jobs: number;
    readonly events: readonly RankChange[];
}

export function parseHistory(text: string): History {
    const [first = "null", ...rest] = text.split("\n").filter((line) => line.startsWith("{"));
    const instance = JSON.parse(first) as Instance | null;
    if (instance === null) {
        throw new Error("Flux' history can't be read: the program in the lead printed nothing");
    }
    const { events, jobs: count, ...facts } = instance;
    return { ...facts, count, changes: events, jobs: rest.map((line) => JSON.parse(line) as PastJob) };
}
