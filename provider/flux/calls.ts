import type { Kube } from "../kubernetes/client";
import { type Container, execute, type Executed } from "../kubernetes/streams/exec";
import { scriptWith } from "./script";

/** Exit code of job.sh if the broker doesn't answer. */
export const NO_BROKER = 65;

/** Exit codes of a command whose pod ends before its connection: SIGKILL, SIGTERM. The call is repeated. */
export const KILLED = [137, 143];

/** Seconds that a cancelled job has to end; Flux kills it before they are over. */
export const END_TIMEOUT = 60;

/** Seconds that a call has in addition to its wait for Flux: for its connection and for a busy rank 0. */
export const CALL_TIMEOUT = 30;

/** Seconds of a submission. It may wait for another submission of the same job, and each may remove a job first. */
export const SUBMIT_TIMEOUT = 2 * END_TIMEOUT + CALL_TIMEOUT;

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

/** Exit code for a job that runs and may not be cancelled. */
export const RUNNING = 66;

/** Exit code for a nonce that an array has. */
export const ARRAY = 67;

/** Exit code for a job whose code the lead doesn't have. */
export const NO_CODE = 68;

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

/** The image of a cluster can't run the agent, so no job was ever submitted there. */
export class CannotRun extends Error {}
