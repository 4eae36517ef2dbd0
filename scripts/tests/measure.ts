import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { performance } from "node:perf_hooks";

import { root } from "../../local/paths";

/** Names the file that the processes of a run add their measurements to, one JSON object a line. */
export const PROFILE_VARIABLE = "TEST_PROFILE";

let currentFile: string | undefined;

/** Counts the steps that follow to a test file. */
export function enterFile(file: string | undefined): void {
    currentFile = file === undefined ? undefined : relative(root, file);
}

/** Adds a step of a test to the profile of the run, if this process is part of one. */
export function recordStep(step: string, seconds: number): void {
    record({ kind: "step", file: currentFile, step, seconds });
}

/** Does a step of a test and adds its duration to the profile, whether it succeeds or fails. */
export function timed<T>(step: string, action: () => Promise<T>): Promise<T> {
    return measured(action, (seconds) => recordStep(step, seconds));
}

/** Does a part of the run and adds its duration to the profile. */
export function phase<T>(name: string, action: () => Promise<T>): Promise<T> {
    return measured(action, (seconds) => record({ kind: "phase", phase: name, seconds }));
}

/** Notes a check that failed, for the end of the run. */
export function recordFailure(title: string, what: string): void {
    record({ kind: "failure", file: "", title, what });
}

async function measured<T>(action: () => Promise<T>, tell: (seconds: number) => void): Promise<T> {
    const started = performance.now();
    try {
        return await action();
    } finally {
        tell((performance.now() - started) / 1000);
    }
}

function record(entry: object): void {
    const profile = process.env[PROFILE_VARIABLE];
    if (profile) {
        appendFileSync(profile, `${JSON.stringify(entry)}\n`);
    }
}
