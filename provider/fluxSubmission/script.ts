import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { sortKeys } from "../contract/object";
import { FIND_FLUX } from "../contract/paths";
import { cpusScript } from "../contract/scriptText";
import type { FluxSubmissionInputs } from "./properties";

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
    const { command, environment = {}, jobName, nonce, secretEnvironment = {} } = inputs;
    const secrets = Object.entries(secretEnvironment).map(([name, value]) => `export ${name}=${quote(value)}`);
    const assignments = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const words = assignments.length > 0 ? ["env", ...assignments.sort(), ...command] : command;
    return ["submit", jobName, nonce, contentHash(inputs), secrets.join("\n"), ...options(inputs), "--", ...words];
}

/**
 * Options of `flux submit`.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-submit.html
 */
function options({ cores, gpus, nodes, tasks, timeLimit, workingDirectory }: FluxSubmissionInputs): string[] {
    const given: [string, number | string | undefined][] = [
        ["nodes", nodes],
        ["ntasks", tasks],
        ["cores-per-task", cores],
        ["gpus-per-task", gpus],
        ["time-limit", timeLimit && `${timeLimit}s`],
        ["cwd", workingDirectory],
    ];
    return given.flatMap(([name, value]) => ((value ?? undefined) === undefined ? [] : [`--${name}=${value}`]));
}

/** The inputs by which one job differs from another. */
export function subject(inputs: FluxSubmissionInputs): Record<string, unknown> {
    const {
        command,
        cores,
        environment,
        gpus,
        jobName,
        nodes,
        secretEnvironment,
        tasks,
        timeLimit,
        triggers,
        workingDirectory,
    } = inputs;
    return {
        command,
        cores,
        environment: environment ?? {},
        gpus,
        jobName,
        nodes,
        secretEnvironment: secretEnvironment ?? {},
        tasks,
        timeLimit,
        triggers: triggers ?? [],
        workingDirectory,
    };
}

/** Hash of a job's content: a job that an interrupted create left is adopted only if its hash is the same. */
function contentHash(inputs: FluxSubmissionInputs): string {
    const text = JSON.stringify(sortKeys(subject(inputs)));
    return `h${createHmac("sha256", inputs.nonce).update(text).digest("hex").slice(0, 16)}`;
}
