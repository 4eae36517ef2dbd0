import type { Kube } from "../kubernetes/client";
import { type Container, execute, type Executed } from "../kubernetes/streams/exec";
import { END_SECONDS, NO_BROKER, UNKNOWN_JOB } from "./protocol";
import { scriptWith } from "./script";

/** Exit codes of a command whose pod ends before its connection: SIGKILL, SIGTERM. The call is repeated. */
export const KILLED = [137, 143];

/** Seconds that a call has in addition to its wait for Flux: for its connection and for a busy rank 0. */
export const CALL_TIMEOUT = 30;

/** Seconds of a submission. It may wait for another submission of the same job, and each may remove a job first. */
export const SUBMIT_TIMEOUT = 2 * END_SECONDS + CALL_TIMEOUT;

/** The cure if a job of `after` has ended and the state doesn't know it. */
const ENDED_BEFORE = "pulumi up --refresh records the end of that job, and submits it again if it has failed";

/** Calls of job.sh on rank 0 of a cluster. */
export class Calls {
    constructor(
        protected readonly kube: Kube,
        protected readonly lead: Container,
        protected readonly signal: AbortSignal,
    ) {}

    /** `body` is what the function of job.sh may read after its call. */
    protected async call(words: readonly string[], seconds: number, body?: Buffer): Promise<Executed> {
        const script = scriptWith(words);
        const done = await execute(this.kube, this.lead, {
            command: ["bash", "-s"],
            input: body === undefined ? script : Buffer.concat([Buffer.from(script), body]),
            seconds,
            signal: this.signal,
        });
        if (done.exitCode === NO_BROKER) {
            throw Object.assign(new Error(complaint(done.stderr)), { code: "ECONNREFUSED" });
        }
        if (KILLED.includes(done.exitCode)) {
            throw Object.assign(new Error("the command in the lead was killed"), { code: "ECONNRESET" });
        }
        if (done.exitCode === 127 && done.stderr.includes("flock")) {
            throw new Error("the image has no flock, which FluxJob needs; add util-linux to the image");
        }
        return done;
    }

    /** What a call prints. Fails with these words, and why. */
    protected async text(words: readonly string[], seconds: number, failure: string, body?: Buffer): Promise<string> {
        const done = await this.call(words, seconds, body);
        if (done.exitCode !== 0) {
            throw new Error(`${failure}: ${whyOf(done)}`);
        }
        return done.stdout;
    }
}

/** Why a call has failed. */
export function whyOf({ exitCode, stderr }: Executed): string {
    return complaint(stderr) || `exit code ${exitCode}`;
}

/** What a call about a job has printed; undefined if Flux doesn't know the job. Fails with these words, and why. */
export function ofKnownJob(done: Executed, failure?: string): string | undefined {
    if (done.exitCode !== 0 && done.exitCode !== UNKNOWN_JOB) {
        throw new Error(`${failure === undefined ? "" : `${failure}: `}${whyOf(done)}`);
    }
    return done.exitCode === 0 ? done.stdout : undefined;
}

/** The error of Flux in a command's standard error, into which other programs may write too. */
export function complaint(stderr: string): string {
    const lines = stderr
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
    const errors = lines.filter((line) => /error/i.test(line));
    return (errors.length > 0 ? errors : lines.slice(-3)).join(" ").replace(/^flux-\w+: ERROR: /, "");
}

/** Why a job of an interrupted update isn't cancelled. */
export function runsOtherwise(what: string): string {
    const which = "which an interrupted update submitted with other arguments, still run";
    return `${what}, ${which}. Wait for their end, or set interrupt to "allow"`;
}

/** The error for a job that Flux doesn't accept. */
export function refusal(what: string, why: string): Error {
    const cure = why.includes("dependency: after") ? `; ${ENDED_BEFORE}` : "";
    return new Error(`Flux did not accept ${what}: ${why}${cure}`);
}

/** The image of a cluster has no bindings for the agent, so no job was ever submitted there. */
export class CannotRun extends Error {}
