import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { withLock } from "../../../scripts/local/lock";
import { cacheDir, root, shortHash } from "../../../scripts/local/paths";
import { buildArguments, pulumiVersion } from "../../../scripts/local/pieces";
import { findProgram } from "../../../scripts/local/program";
import { run } from "../../../scripts/local/run";
import type { History, Trace } from "../../model/support/replay";

const FOLDER = join(root, "test", "engine");
/** Milliseconds of the longest run. */
const LONGEST = 2 * 3_600_000;

interface Build {
    /** The file with the versions of all modules. */
    readonly modfile: string;
    readonly tags?: string;
}

/** The oldest supported engine, one between, and the newest one, which the other tests use. */
export const ENGINES: Readonly<Record<string, Build>> = {
    "3.216.0": { modfile: "go-3.216.0.mod", tags: "pulumi_3_216" },
    "3.259.0": { modfile: "go-3.259.0.mod", tags: "pulumi_3_259" },
    [pulumiVersion]: { modfile: "go.mod" },
};

/** The program of test/engine with this version of the engine. Builds it if no clone on this machine has built it. */
export async function engineProgram(version: string): Promise<string> {
    const { modfile, tags } = ENGINES[version];
    const go = findProgram("go");
    if (go === undefined) {
        throw new Error("The tests of the engine's model build a Go program. Install Go 1.26 or later.");
    }
    const files = [...readdirSync(FOLDER).filter((file) => file.endsWith(".go")), modfile, sumOf(modfile)];
    const contents = files.sort().map((file) => readFileSync(join(FOLDER, file)));
    const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" };
    const compiler = await run(go, ["env", "GOVERSION"], { cwd: FOLDER, env });
    const program = join(cacheDir, `engine-${version}-${shortHash(compiler, ...contents)}`, "engine");
    if (!existsSync(program)) {
        await withLock(join(cacheDir, "build.lock"), `building engine ${version}`, async () => {
            const draft = join(cacheDir, `engine-${version}.${process.pid}`);
            mkdirSync(draft, { recursive: true });
            // With the flags of the other builds, Go takes the packages that they have compiled.
            const words = buildArguments({ name: "engine", module: ".", packages: ["."], tags, cpuSeconds: 150 });
            await run(go, ["build", `-modfile=${modfile}`, "-o", join(draft, "engine"), ...words], {
                cwd: FOLDER,
                env,
            });
            renameSync(draft, join(program, ".."));
        });
    }
    return program;
}

const sumOf = (modfile: string): string => modfile.replace(/mod$/, "sum");

/** A command line that runs the operations in place of the program's own engine. */
export interface CommandLine {
    readonly pulumi: string;
    readonly env: Readonly<Record<string, string>>;
}

/** Runs histories on the real engine. An engine that panics loses its history, whose traces are then empty. */
export async function runHistories(
    program: string,
    histories: readonly History[],
    commandLine?: CommandLine,
): Promise<Trace[][]> {
    const traces: Trace[][] = [];
    while (traces.length < histories.length) {
        const more = await runUntilPanic(program, histories.slice(traces.length), commandLine);
        traces.push(...more);
        if (traces.length < histories.length) {
            traces.push([]);
        }
    }
    return traces;
}

async function runUntilPanic(
    program: string,
    histories: readonly History[],
    { env, pulumi }: Partial<CommandLine> = {},
): Promise<Trace[][]> {
    const child = spawn(program, pulumi === undefined ? [] : [pulumi], {
        env: { ...process.env, ...env },
        stdio: ["pipe", "pipe", "ignore"],
        timeout: LONGEST,
    });
    // A panic closes the pipe.
    child.stdin.on("error", () => undefined);
    child.stdin.end(histories.map((history) => `${JSON.stringify(history)}\n`).join(""));
    const traces: Trace[][] = [];
    for await (const line of createInterface({ input: child.stdout })) {
        traces.push(JSON.parse(line) as Trace[]);
    }
    return traces;
}
