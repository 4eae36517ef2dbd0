import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { runQuietly } from "../local/child";
import { nodeBinDir, root, stateDir } from "../local/paths";

/** The commands that LOAD repeats. */
export const LOADABLE = ["conformance", "e2e", "test", "test-faults", "unit"];

/** What makes the machine slow during a run. */
export interface Load {
    readonly name: string;
    /** Busy loops beside the run. */
    readonly loops: number;
    /** The words before the run's command. */
    readonly prefix: readonly string[];
}

/** One run under one load. */
export interface LoadedRun {
    readonly load: string;
    readonly run: number;
    readonly succeeded: boolean;
    readonly minutes: number;
    readonly failures: readonly string[];
    /** The file with the output. */
    readonly log: string;
}

/** Reads LOAD, such as "4,8,core,nice": a number of busy loops, one core, or the lowest priority. */
export function parseLoads(text: string): Load[] {
    return text.split(",").map((word) => {
        const name = word.trim();
        if (name === "core") {
            return { name: "one core", loops: 0, prefix: ["taskset", "--cpu-list", "0"] };
        }
        if (name === "nice") {
            return { name: "nice 19", loops: 0, prefix: ["nice", "-n", "19"] };
        }
        if (!/^[1-9]\d*$/.test(name)) {
            throw new Error(`LOAD=${text}: ${name} is none of core, nice and a number of busy loops.`);
        }
        return { name: `${name} busy loops`, loops: Number(name), prefix: [] };
    });
}

/** Runs one command of `make` under each load, LOAD_RUNS times, and prints what failed. True if nothing failed. */
export async function runUnderLoads(command: string, { LOAD = "", LOAD_RUNS }: NodeJS.ProcessEnv): Promise<boolean> {
    const ended: LoadedRun[] = [];
    for (const load of parseLoads(LOAD)) {
        for (let run = 1; run <= Number(LOAD_RUNS || 1); run++) {
            ended.push(await runUnder(load, run, command));
            console.log(describeRuns(ended.slice(-1)));
        }
    }
    console.log(`\nAll runs of make ${command}:\n${describeRuns(ended)}`);
    return ended.every(({ succeeded }) => succeeded);
}

async function runUnder({ loops, name, prefix }: Load, run: number, command: string): Promise<LoadedRun> {
    const busy = Array.from({ length: loops }, startLoop);
    const words = [...prefix, join(nodeBinDir, "tsx"), join(root, "scripts/cli.ts"), command];
    const begun = performance.now();
    try {
        const { output, succeeded } = await runQuietly(words[0], words.slice(1), { LOAD: undefined, STRICT: "on" });
        const log = join(stateDir, "load", `${command}-${name.replaceAll(" ", "-")}-${run}.log`);
        mkdirSync(join(stateDir, "load"), { recursive: true });
        writeFileSync(log, output);
        const minutes = (performance.now() - begun) / 60_000;
        return { load: name, run, succeeded, minutes, failures: failuresIn(output), log };
    } finally {
        busy.forEach((loop) => loop.stdin?.end());
    }
}

/** A loop that ends with this process, however it ends: its standard input is then closed. */
function startLoop(): ChildProcess {
    return spawn("bash", ["-c", "while :; do :; done & read -r; kill $!"], { stdio: ["pipe", "ignore", "ignore"] });
}

/** The names of failed tests and checks, from the end of a run's output. */
export function failuresIn(output: string): string[] {
    return [...output.matchAll(/^FAILED: (.+)$/gm)].map(([, title]) => title);
}

/** One line for each run, with the failures and the log of those that failed. */
export function describeRuns(runs: readonly LoadedRun[]): string {
    return runs
        .flatMap(({ failures, load, log, minutes, run, succeeded }) => [
            `${load}, run ${run}: ${succeeded ? "passed" : "FAILED"} after ${minutes.toFixed(1)} min`,
            ...(succeeded ? [] : [...failures.map((title) => `    ${title}`), `    log: ${log}`]),
        ])
        .join("\n");
}
