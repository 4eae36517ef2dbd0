import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { sortKeys } from "../contract/object";
import { FIND_FLUX } from "../contract/paths";
import { runOptionsOf, runOptionWords } from "../contract/runOptions";
import { MOST_LISTED } from "../contract/array";
import { cpusScript, rendezvousScript } from "../contract/scriptText";
import type { Dependency, FluxSubmissionInputs } from "./properties";

/** The text for bash's standard input: the script and a call of one of its functions. */
export function scriptWith(call: readonly string[]): string {
    const script = readFileSync(join(__dirname, "job.sh"), "utf8");
    return `${FIND_FLUX}\n${cpusScript()}\n${script}\n${call.map(quote).join(" ")} </dev/null\nexit\n`;
}

/** Quotes a word for bash. */
export function quote(word: string): string {
    return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The call of job.sh that submits a job, as words. */
export function submitCall(inputs: FluxSubmissionInputs): string[] {
    const { command, environment = {}, jobName, nonce, rendezvous, secretEnvironment = {}, workingDirectory } = inputs;
    const secrets = Object.entries(secretEnvironment).map(([name, value]) => `export ${name}=${quote(value)}`);
    const assignments = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // Its whole text, because a cluster of an earlier version doesn't have the file.
    const meeting = rendezvous ? ["bash", "-c", rendezvousScript(), "bash", rendezvous] : [];
    const variables = assignments.length > 0 ? ["env", ...assignments.sort()] : [];
    const options = [
        ...runOptionWords(inputs),
        ...dependencyWords(inputs.after),
        ...((workingDirectory ?? undefined) === undefined ? [] : [`--cwd=${workingDirectory}`]),
    ];
    const words = [...meeting, ...variables, ...command];
    const hashes = [contentHash(inputs), ...earlierHashes(inputs)].join(" ");
    const guard = inputs.interrupt ?? "refuse";
    return ["submit", jobName, nonce, hashes, guard, secrets.join("\n"), ...options, "--", ...words];
}

/** The call of job.sh that submits elements of an array. The other arguments are those of one job. */
export function submitArrayCall(program: string, request: object, inputs: FluxSubmissionInputs): string[] {
    const [, ...job] = submitCall(inputs);
    return ["submit_array", program, JSON.stringify(request), ...job];
}

/**
 * The dependencies that Flux has to keep. One on a job that has already ended is left out, because Flux may have
 * forgotten that job.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-submit.html
 */
function dependencyWords(after: readonly Dependency[] = []): string[] {
    const hasEnded = ({ end, phase }: Dependency) => phase === "succeeded" || (end === "any" && phase === "failed");
    return after.flatMap((job, index) => (hasEnded(job) ? [] : dependencyOn(job, index)));
}

/** Flux has no dependency on an array, so there is one on each element. */
function dependencyOn({ end = "ok", jobId, jobIds = [jobId] }: Dependency, index: number): string[] {
    if (jobIds.length === 0) {
        const reason = `has more than ${MOST_LISTED} elements or isn't complete, and hasn't ended; Flux needs a dependency on each`;
        throw new Error(`after[${index}] is an array that ${reason}. Let it wait for its end (wait: true)`);
    }
    return jobIds.map((id) => `--dependency=after${end}:${id}`);
}

/** Names of run options in states of version 0.1. */
interface Earlier {
    readonly cores?: number;
    readonly gpus?: number;
}

/** The inputs by which one job differs from another. */
export function subject(inputs: FluxSubmissionInputs): Record<string, unknown> {
    const {
        after = [],
        array,
        command,
        environment,
        jobName,
        rendezvous,
        secretEnvironment,
        triggers,
        workingDirectory,
    } = inputs;
    const { cores, gpus } = inputs as FluxSubmissionInputs & Earlier;
    const { coresPerTask = cores, gpusPerTask = gpus, ...options } = runOptionsOf(inputs);
    return {
        ...options,
        coresPerTask,
        gpusPerTask,
        after: after.length === 0 ? undefined : after.map(identify),
        // Without an array, the hash is that of earlier versions.
        array: array ?? undefined,
        command,
        environment: environment ?? {},
        jobName,
        rendezvous,
        secretEnvironment: secretEnvironment ?? {},
        triggers: triggers ?? [],
        workingDirectory,
    };
}

/** An element of an array may get another job while the first one keeps its id. */
export function identify({ end, jobId, jobIds }: Dependency): readonly string[] {
    const ids = jobIds ?? [];
    // Without an array, the hash is that of earlier versions.
    return [end ?? "ok", jobId, ...(ids.length === 1 && ids[0] === jobId ? [] : ids)];
}

/**
 * Hash of a job's content: a job that an interrupted create left is adopted only if its hash is the same. Flux keeps it
 * in the jobspec, so it is keyed with a secret that Flux doesn't have: else a short secret could be guessed from it.
 */
export function contentHash(inputs: FluxSubmissionInputs): string {
    // The name isn't content: a FluxJob that is renamed keeps its job.
    const { jobName: _name, ...content } = subject(inputs);
    if ((inputs.key ?? undefined) === undefined) {
        // A ticket of an earlier version that isn't a target of this update: arguments that may be secret are left out.
        const { secretEnvironment: _secrets, triggers: _triggers, ...open } = content;
        return `p${digest(inputs.nonce, open, 16)}`;
    }
    return `k${digest(inputs.key as string, content, 32)}`;
}

/** Hashes that jobs with the same content may have: those of version 0.2, and of a ticket without a key. */
export function earlierHashes(inputs: FluxSubmissionInputs): string[] {
    const withoutKey = { ...inputs, key: undefined };
    return [`h${digest(inputs.nonce, subject(inputs), 16)}`, contentHash(withoutKey)];
}

function digest(key: string, content: object, length: number): string {
    return createHmac("sha256", key)
        .update(JSON.stringify(sortKeys(content)))
        .digest("hex")
        .slice(0, length);
}
