import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { performance } from "node:perf_hooks";

import { root } from "../local/paths";

/** The variable with the file to which the processes of a run add their measurements, one JSON object per line. */
export const PROFILE_VARIABLE = "TEST_PROFILE";

let currentFile: string | undefined;

/** Assigns the following steps to a test file. */
export function enterFile(file: string | undefined): void {
    currentFile = file === undefined ? undefined : relative(root, file);
}

/** Adds a step of a test to the profile, if this process is part of a profiled run. */
export function recordStep(step: string, seconds: number): void {
    record({ kind: "step", file: currentFile, step, seconds });
}

/** Runs a step of a test and adds its duration to the profile, also if it fails. */
export function timed<T>(step: string, action: () => Promise<T>): Promise<T> {
    return measured(action, (seconds) => recordStep(step, seconds));
}

/** Runs a part of the run and adds its duration to the profile. */
export function phase<T>(name: string, action: () => Promise<T>): Promise<T> {
    return measured(action, (seconds) => record({ kind: "phase", phase: name, seconds }));
}

/** Records a failed check, for the end of the run. */
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
