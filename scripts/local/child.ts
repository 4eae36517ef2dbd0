import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

import { root } from "./paths";

/** Programs that are running. */
const running = new Set<ChildProcess>();

/** Runs a program that prints to the terminal; true if it succeeded. */
export async function runVisibly(
    command: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
): Promise<boolean> {
    return (await exitCode(start(command, args, environment, { stdio: ["ignore", "inherit", "inherit"] }))) === 0;
}

/** The result and the whole output of a program. */
export interface Ending {
    readonly succeeded: boolean;
    readonly output: string;
}

export async function runQuietly(
    command: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
): Promise<Ending> {
    const child = start(command, args, environment, { stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const succeeded = (await exitCode(child)) === 0;
    return { succeeded, output: Buffer.concat(chunks).toString() };
}

/** Starts a program that `endChildren` ends. */
export function start(
    command: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
    options: SpawnOptions,
): ChildProcess {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...environment }, ...options });
    running.add(child);
    child.once("exit", () => running.delete(child));
    return child;
}

/** The exit code of a program, when it has ended and its output has been read; undefined if a signal ended it. */
export function exitCode(child: ChildProcess): Promise<number | undefined> {
    return new Promise((resolve, reject) =>
        child.once("error", reject).once("close", (code) => resolve(code ?? undefined)),
    );
}

/** Ends the programs that are still running. */
export function endChildren(): void {
    for (const child of running) {
        child.kill("SIGTERM");
    }
}
