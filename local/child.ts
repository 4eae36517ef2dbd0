import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

import { root } from "./paths";

/** Programs that run now. */
const running = new Set<ChildProcess>();

/** Runs a program that talks to the person itself; true if it was content. */
export async function runVisibly(
    command: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
): Promise<boolean> {
    return (await exitCode(start(command, args, environment, { stdio: ["ignore", "inherit", "inherit"] }))) === 0;
}

/** How a program ended that ran beside others, and all that it printed. */
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

/** Resolves when a program has ended and its output is read; undefined where a signal ended it. */
export function exitCode(child: ChildProcess): Promise<number | undefined> {
    return new Promise((resolve, reject) =>
        child.once("error", reject).once("close", (code) => resolve(code ?? undefined)),
    );
}

/** Ends the programs that still run. */
export function endChildren(): void {
    for (const child of running) {
        child.kill("SIGTERM");
    }
}
