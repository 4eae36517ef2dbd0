import { readFileSync } from "node:fs";
import { join } from "node:path";

import { FAILURE_BYTES, MOST_FAILURES, MOST_LISTED } from "../contract/array";
import type { Json } from "../contract/object";
import { CALL_TIMEOUT, Calls, complaint, END_TIMEOUT, refusal, SUBMIT_TIMEOUT } from "./calls";
import type { FluxSubmissionInputs } from "./properties";
import { contentHash, submitArrayCall } from "./script";
import { countOf, elementName, numberOf } from "./elements";
import { type ArrayProgress, readProgress } from "./arrayProgress";

/** Default of `urgency`: that of Flux. */
const URGENCY = 16;

/** The elements that Flux has after a call. */
export interface Submitted {
    /** Jobs with another content, which have to end before elements are submitted. */
    readonly left: number;
    readonly submitted: number;
    /** The id of the first element. */
    readonly jobId: string;
    /** The ids of a small array. */
    readonly jobIds: readonly string[];
    /** Why Flux has refused the others. */
    readonly refused?: Error;
}

/** The calls to Flux for an array. Each may be repeated, and ends after some seconds, so that Ctrl-C can end a wait. */
export class ArrayQueue extends Calls {
    /**
     * Submits the next elements that Flux doesn't have. With `rerun`, those that have failed are removed from Flux'
     * history before. With `begun`, the same update has already submitted elements, and Flux must still have them.
     */
    async submit(
        inputs: FluxSubmissionInputs,
        { begun, rerun }: { readonly begun: boolean; readonly rerun: boolean },
    ): Promise<Submitted> {
        const request = {
            ...requestOf("submit", inputs),
            hash: contentHash(inputs),
            values: inputs.array?.values ?? null,
            urgency: inputs.urgency ?? URGENCY,
            begun,
            rerun,
        };
        const call = submitArrayCall(ARRAY_PROGRAM, request, inputs);
        const answer = await this.ask(call, SUBMIT_TIMEOUT, (why) => refusal("the array", why));
        const { error, forgotten, found, jobId, jobIds, left } = answer;
        if (forgotten > 0) {
            throw new Error(
                `Flux removed ${numberOf(forgotten)} elements from its history before all were submitted. ` +
                    "Raise job-manager.inactive-num-limit and inactive-age-limit above the size and the duration of the array",
            );
        }
        const refused = error ? refusal(elementName(inputs, error.index as number), error.text as string) : undefined;
        if (refused && jobId === null) {
            throw refused;
        }
        return { left, submitted: found, jobId, jobIds, refused };
    }

    /** Waits until all elements have ended, at most so many seconds. Undefined if Flux has none. */
    async watch(inputs: FluxSubmissionInputs, seconds: number): Promise<ArrayProgress | undefined> {
        const request = { ...requestOf("watch", inputs), seconds };
        return readProgress(
            inputs,
            await this.ask(["run_array", ARRAY_PROGRAM, JSON.stringify(request)], seconds + CALL_TIMEOUT),
        );
    }

    /** The ends of the logs of the recorded failures, and of a small array. */
    async logs(
        inputs: FluxSubmissionInputs,
    ): Promise<{ readonly failures: readonly string[]; readonly output: string }> {
        const { maxBytes, nonce } = inputs;
        const request = { ...requestOf("logs", inputs), maxBytes, failureBytes: Math.min(maxBytes, FAILURE_BYTES) };
        return this.ask(["logs_array", ARRAY_PROGRAM, JSON.stringify(request), nonce], 2 * CALL_TIMEOUT);
    }

    /** Cancels elements and removes them from Flux' history. Returns the number of those that are left. */
    async remove(inputs: FluxSubmissionInputs): Promise<number> {
        const call = ["remove_array", ARRAY_PROGRAM, JSON.stringify(requestOf("remove", inputs)), inputs.nonce];
        return (await this.ask(call, END_TIMEOUT + CALL_TIMEOUT)).left as number;
    }

    private async ask(
        call: readonly string[],
        seconds: number,
        failure = (why: string) => new Error(`the array can't be read: ${why}`),
    ): Promise<Json> {
        const { exitCode, stderr, stdout } = await this.run(call, seconds);
        if (exitCode !== 0) {
            throw failure(complaint(stderr) || `exit code ${exitCode}`);
        }
        return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    }
}

/** The text of the program, which runs in the lead's pod. */
export const ARRAY_PROGRAM = readFileSync(join(__dirname, "array.py"), "utf8");

function requestOf(call: string, inputs: FluxSubmissionInputs): object {
    const { jobName: name, nonce: key } = inputs;
    return { call, name, key, count: countOf(inputs), listed: MOST_LISTED, failures: MOST_FAILURES };
}
