import { countOf, elementName, FAILURE_BYTES, MOST_FAILURES, MOST_LISTED, numberOf } from "./elements";
import type { Json } from "../contract/object";
import { arrayTurns } from "./agent/agents";
import { CALL_TIMEOUT, Calls, refusal, runsOtherwise, SUBMIT_TIMEOUT, whyOf } from "./calls";
import { noCode } from "./code/archives";
import { formatIdset } from "./idset";
import { ARRAY_PROGRAM } from "./programs";
import { contentHash, type JobRequest, type Run } from "./job";
import { END_SECONDS, URGENCY } from "./protocol";
import { submitArrayCall } from "./script";
import type { Standing } from "./standing";
import { type ArrayProgress, readProgress } from "./arrayProgress";

/** Seconds of a watch while other arrays wait for their turn. */
const CROWDED = 3;

/** The elements that Flux has after a call. */
export interface Submitted {
    /** Jobs with another content, which have to end before elements are submitted. */
    readonly left: number;
    readonly submitted: number;
    /** Wanted elements that are still to submit. */
    readonly remaining: number;
    /** The id of the first element. Undefined if Flux has lost it. */
    readonly jobId?: string;
    /** The ids of a small array. */
    readonly jobIds: readonly string[];
    /** Why Flux has refused the others. */
    readonly refused?: Error;
}

/** Which elements a submission concerns. */
export interface Wanted {
    /** The elements that Flux must have. All others stay as they are. */
    readonly indexes: ReadonlySet<number>;
    /** Those of them that have failed are removed from Flux' history and submitted again. */
    readonly rerun: boolean;
    /** The same update has already submitted elements, and Flux must still have them. */
    readonly begun: boolean;
}

/** What an answer to a submission leaves out. */
const NOTHING = { busy: 0, forgotten: 0, found: 0, jobIds: [], left: 0 };

/** The calls to Flux for an array. Each may be repeated, and ends after some seconds, so that Ctrl-C can end a wait. */
export class ArrayQueue extends Calls {
    /** Submits the next wanted elements that Flux doesn't have. */
    async submit(job: JobRequest, { begun, indexes, rerun }: Wanted): Promise<Submitted> {
        const request = {
            ...requestOf("submit", job),
            hash: contentHash(job),
            refuse: job.interrupt !== "allow",
            indexes: formatIdset(indexes),
            values: job.array?.values ?? null,
            urgency: job.urgency ?? URGENCY,
            begun,
            rerun,
        };
        const call = submitArrayCall(ARRAY_PROGRAM, request, job);
        const told = await this.ask(call, SUBMIT_TIMEOUT, (why) => refusal("the array", why));
        const answer: Json = { ...NOTHING, ...told };
        const { error, found, jobId, jobIds, left, remaining } = answer;
        const hindrance = hindranceIn(answer);
        if (hindrance !== undefined) {
            throw hindrance;
        }
        const refused = error ? refusal(elementName(job, error.index as number), error.text as string) : undefined;
        if (refused && found === 0) {
            throw refused;
        }
        return { left, remaining, submitted: found, jobId: jobId ?? undefined, jobIds, refused };
    }

    /** Waits until all elements have ended, at most so many seconds. Undefined if Flux has none. */
    async watch(job: JobRequest, seconds: number, known?: Standing): Promise<ArrayProgress | undefined> {
        const call = (most: number) => {
            const request = { ...requestOf("watch", job), seconds: Math.min(seconds, most) };
            return ["run_array", ARRAY_PROGRAM, JSON.stringify(request)];
        };
        return readProgress(job, await this.ask(call, seconds + CALL_TIMEOUT), known);
    }

    /** The last bytes of the logs of the recorded failures, by their indexes, and of a small array. */
    async logs(
        job: JobRequest,
        maxBytes: number,
    ): Promise<{ readonly failures: Readonly<Record<string, string>>; readonly output: string }> {
        const request = { ...requestOf("logs", job), maxBytes, failureBytes: Math.min(maxBytes, FAILURE_BYTES) };
        return this.ask(["run_array", ARRAY_PROGRAM, JSON.stringify(request)], 2 * CALL_TIMEOUT);
    }

    /**
     * Cancels elements and removes them from Flux' history. Returns the number of those that are left. With `guard`, it
     * fails if elements run.
     */
    async remove(
        { jobName: name, nonce: key }: Pick<JobRequest, "jobName" | "nonce">,
        guard?: (run: Run) => Error,
    ): Promise<number> {
        const request = JSON.stringify({ call: "remove", name, key, refuse: guard !== undefined });
        const call = ["remove_array", ARRAY_PROGRAM, request, key];
        const { busy, left } = await this.ask(call, END_SECONDS + CALL_TIMEOUT);
        if (guard !== undefined && busy > 0) {
            throw guard({ elements: busy as number });
        }
        return left as number;
    }

    /** `call` gets the seconds for which it may wait for elements. */
    private async ask(
        call: readonly string[] | ((most: number) => readonly string[]),
        seconds: number,
        failure = (why: string) => new Error(`the array can't be read: ${why}`),
    ): Promise<Json> {
        const act = (isCrowded: boolean) =>
            this.call(typeof call === "function" ? call(isCrowded ? CROWDED : Infinity) : call, seconds);
        const done = await arrayTurns(this.kube, this.lead).take(act, this.signal);
        if (done.exitCode !== 0) {
            throw failure(whyOf(done));
        }
        return JSON.parse(done.stdout.trim().split("\n").at(-1) ?? "");
    }
}

function requestOf(call: string, job: JobRequest): object {
    const { jobName: name, nonce: key } = job;
    return { call, name, key, count: countOf(job), listed: MOST_LISTED, failures: MOST_FAILURES };
}

/** Why a call has submitted nothing. */
function hindranceIn({ busy, forgotten, lacksCode }: Json): Error | undefined {
    if (lacksCode) {
        return noCode();
    }
    if (busy > 0) {
        return new Error(runsOtherwise(`${numberOf(busy)} elements`));
    }
    const why = `Flux removed ${numberOf(forgotten)} elements from its history before all were submitted`;
    const cure =
        "Raise job-manager.inactive-num-limit and inactive-age-limit above the size and the duration of the array";
    return forgotten > 0 ? new Error(`${why}. ${cure}`) : undefined;
}
