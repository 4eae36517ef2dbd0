import { randomBytes } from "node:crypto";
import { PassThrough, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import type { FluxSubmissionInputs } from "../../provider/fluxSubmission/properties";
import { submitJob } from "../../provider/fluxSubmission/submission";
import { leadFor, wakingOnce } from "../../provider/fluxSubmission/wait";
import { attach } from "../../provider/kube/exec";
import { isTransient, sentence } from "../../provider/kube/failure";
import type { Arguments } from "../arguments";
import { findingFlux } from "../flux";
import { readRunOptions } from "../runOptions";
import { leadOf, requireLead, type Target, targetOf, waitingFor, WAKES_WITHIN } from "../target";
import { leftOpen, progress } from "../terminal";
import { UsageError } from "../usage";

/** Milliseconds between two attempts to reconnect to a job. */
const PAUSE = 1000;
/** Milliseconds of attempts without a connection, after which `submit` ends. The job continues. */
const PATIENCE = 120_000;

/** Runs a job, prints its output and returns its exit code. */
export async function submit({ options, words }: Arguments): Promise<number> {
    if (words.length === 0) {
        throw new UsageError("submit needs a command.");
    }
    const run = readRunOptions(options);
    const target = targetOf(options);
    const inputs = { ...jobOf(target, options, words), ...run };
    await requireLead(target);
    const { jobId } = await submitJob(inputs, waitingFor(target));
    if (options.detach) {
        process.stdout.write(options.json ? `${JSON.stringify({ jobId })}\n` : `${jobId}\n`);
        return 0;
    }
    progress(`job ${jobId} was submitted; Ctrl-C cancels it`);
    const forget = cancelOnSignal(target, jobId);
    try {
        return await follow(target, jobId, options.json === true);
    } finally {
        forget();
    }
}

function jobOf(target: Target, options: Arguments["options"], command: readonly string[]): FluxSubmissionInputs {
    const { name, namespace } = target;
    return {
        cluster: { name, namespace },
        nonce: `n${randomBytes(8).toString("hex")}`,
        jobName: options["job-name"] ?? command[0].split("/").at(-1) ?? "job",
        command,
        workingDirectory: options.cwd,
        environment: Object.fromEntries((options.env ?? []).map(assignment)),
        wait: true,
        rerunFailed: false,
        timeouts: { ready: WAKES_WITHIN },
        maxBytes: 0,
    };
}

function assignment(text: string): [string, string] {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(text) ?? [];
    if (name === undefined) {
        throw new UsageError(`--env is "${text}"; it must be NAME=VALUE.`);
    }
    return [name, value];
}

/** Prints a job's output until its end. After a lost connection it reconnects, and prints no output twice. */
export async function follow(target: Target, jobId: string, json: boolean, patience = PATIENCE): Promise<number> {
    const collected: Buffer[] = [];
    const show = (stream: Writable) => (chunk: Buffer) => (json ? collected.push(chunk) : stream.write(chunk));
    const [stdout, stderr] = [new Counter(show(process.stdout)), new Counter(show(process.stderr))];
    const command = findingFlux(["flux", "job", "attach", "--read-only", jobId]);
    const signal = new AbortController().signal;
    const waiting = wakingOnce(waitingFor(target));
    let lostAt = Date.now();
    for (;;) {
        let isConnected = false;
        const connected = () => (isConnected = true);
        try {
            const streams = { stdin: new PassThrough(), stdout: stdout.again(), stderr: stderr.again() };
            const { container } = await leadFor(waiting, (lostAt + patience - Date.now()) / 1000);
            const exitCode = await attach(target.kube, container, {
                command,
                connected,
                signal,
                ...streams,
            });
            if (json) {
                const output = Buffer.concat(collected).toString();
                process.stdout.write(`${JSON.stringify({ jobId, exitCode, output })}\n`);
            }
            return exitCode;
        } catch (error) {
            lostAt = isConnected ? Date.now() : lostAt;
            if (!isTransient(error) || Date.now() - lostAt >= patience) {
                const cure = "It may still run: see minicluster jobs";
                throw new Error(`job ${jobId} can't be followed: ${sentence(error)}. ${cure}`);
            }
            progress(`${(error as Error).message}; trying again`);
            await sleep(PAUSE);
        }
    }
}

/** Passes on a stream that starts again after each lost connection, but each byte only once. */
class Counter {
    private shown = 0;

    constructor(private readonly show: (chunk: Buffer) => unknown) {}

    again(): Writable {
        let seen = 0;
        return new Writable({
            write: (chunk: Buffer, _encoding, done) => {
                const fresh = chunk.subarray(Math.max(0, this.shown - seen));
                seen += chunk.length;
                if (fresh.length > 0) {
                    this.shown = Math.max(this.shown, seen);
                    this.show(fresh);
                }
                done();
            },
        });
    }
}

/** The first Ctrl-C cancels the job, and `submit` waits for its end; the second one ends `submit` only. */
function cancelOnSignal(target: Target, jobId: string): () => void {
    const cancel = () => {
        process.stderr.write(`minicluster: cancelling ${jobId}; another Ctrl-C ends minicluster without waiting\n`);
        process.once("SIGINT", () => process.exit(130));
        const command = findingFlux(["flux", "cancel", jobId]);
        const streams = {
            stdin: new PassThrough(),
            stdout: leftOpen(process.stderr),
            stderr: leftOpen(process.stderr),
        };
        leadOf(target)
            .then((lead) => attach(target.kube, lead, { command, signal: new AbortController().signal, ...streams }))
            .catch((error: Error) =>
                process.stderr.write(`minicluster: ${jobId} can't be cancelled: ${error.message}\n`),
            );
    };
    process.once("SIGINT", cancel);
    process.once("SIGTERM", cancel);
    return () => {
        process.off("SIGINT", cancel);
        process.off("SIGTERM", cancel);
    };
}
