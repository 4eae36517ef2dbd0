import { foreignLine, unquoted } from "../contract/foreignText";
import { describeSeconds } from "../contract/quantity";
import { Calls } from "./calls";
import { parseIdset } from "./idset";

/** A job that has not ended. */
export interface LiveJob {
    readonly jobId: string;
    /** As its user has written it: `shownName` is for a message. */
    readonly name: string;
    /** The ranks that its tasks run on, as Flux writes them; empty for a job that waits. */
    readonly ranks: string;
    /** How long its tasks run, in seconds. */
    readonly seconds: number;
}

/** The jobs of an instance that have not ended. */
export interface LiveJobs {
    readonly running: readonly LiveJob[];
    /** Those that wait, or some of them. */
    readonly pending: readonly LiveJob[];
}

/** Lists the jobs of an instance. */
export class JobList extends Calls {
    /** All jobs that run, and at most so many that wait. Fails if the lead doesn't tell them within the seconds. */
    async list(seconds: number, mostPending: number): Promise<LiveJobs> {
        return parseLiveJobs(await this.text(["list", String(mostPending), String(seconds)], seconds, "flux jobs"));
    }
}

/** Characters of a name in a message. */
const LONGEST_NAME = 120;

export function parseLiveJobs(text: string): LiveJobs {
    const rows = text.split("\n").map((line) => line.split("\t"));
    const of = (state: string) =>
        rows
            .filter(([first, jobId]) => first === state && jobId !== undefined)
            .map(([, jobId, ranks = "", seconds, ...name]) => ({
                jobId,
                name: unquoted(name.join("\t")),
                ranks: ranks.replaceAll(/[[\]]/g, ""),
                seconds: Number(seconds) || 0,
            }));
    return { running: of("run"), pending: of("pending") };
}

/** The name in a message. */
export function shownName({ name }: LiveJob): string {
    return foreignLine(name, LONGEST_NAME);
}

/** True if a task of the job runs on this rank or on one above it. */
export function reaches({ ranks }: LiveJob, rank: number): boolean {
    return Math.max(-1, ...parseIdset(ranks)) >= rank;
}

/** `train (f2x, ranks 0-1, for 3 min)`. */
export function describeRunning(job: LiveJob): string {
    const { jobId, ranks, seconds } = job;
    const where = `${/[,-]/.test(ranks) ? "ranks" : "rank"} ${ranks}`;
    return `${shownName(job)} (${jobId}, ${where}, for ${describeSeconds(seconds)})`;
}
