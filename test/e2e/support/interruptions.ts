import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import { identify, isAlive, type ProcessId, send } from "../../../scripts/local/processes";
import type { Hold } from "./faultProxy";
import type { TestStack } from "./stack";
import { until } from "./until";

/** The ways to interrupt a Pulumi command. */
export const INTERRUPTIONS = {
    "SIGINT once": async (pulumi) => send(pulumi.cli.pid, "SIGINT"),
    "SIGINT twice": async (pulumi, stack) => {
        const from = stack.printed.length;
        send(pulumi.cli.pid, "SIGINT");
        await until(
            "Pulumi reports the first signal",
            async () => stack.printed.includes("^C received", from) || undefined,
        );
        send(pulumi.cli.pid, "SIGINT");
    },
    "kill -9 of the CLI": (pulumi) => kill(pulumi.cli),
    "kill -9 of the plugin host": ({ hosts }) => killAll(hosts),
    "kill -9 of both": async ({ cli, hosts }) => {
        await kill(cli);
        await killAll(hosts);
    },
} as const satisfies Record<string, (pulumi: RunningPulumi, stack: TestStack) => Promise<void>>;

export type Interruption = keyof typeof INTERRUPTIONS;

/** The scripts of Pulumi's own host and of the provider plugin (PLUGIN=on). */
const HOST = /dynamic-provider|plugin\/(bin|main)/;

/** The processes of a running Pulumi command. */
export interface RunningPulumi {
    readonly cli: ProcessId;
    /** The Node processes of the package's resources. */
    readonly hosts: readonly ProcessId[];
}

/** Waits until a stack's command has started its plugin host. Returns the processes. */
export function runningPulumi(stack: TestStack): Promise<RunningPulumi> {
    return until("pulumi runs with a plugin host", async () => {
        const all = processesOf(stack);
        const cli = all.find(({ words }) => basename(words[0]) === "pulumi");
        const hosts = all.filter(({ words }) => basename(words[0]) === "node" && words.some((word) => HOST.test(word)));
        return cli === undefined || hosts.length === 0 ? undefined : { cli: cli.id, hosts: hosts.map(({ id }) => id) };
    });
}

/** Kills the processes that an interrupted command of a stack has left. */
export async function endLeftovers(stack: TestStack): Promise<void> {
    await killAll(processesOf(stack).map(({ id }) => id));
}

/** The result of a Pulumi command. */
export interface Outcome {
    readonly succeeded: boolean;
    /** The command's output, including errors. */
    readonly text: string;
}

/** A command of Pulumi, or a function that runs one. */
export type PulumiCommand = "destroy" | "refresh" | "up" | (() => Promise<unknown>);

/** Runs a command to its success or failure. */
export async function outcome(stack: TestStack, command: PulumiCommand): Promise<Outcome> {
    const from = stack.printed.length;
    try {
        await (typeof command === "function" ? command() : stack[command]());
        return { succeeded: true, text: stack.printed.slice(from) };
    } catch (error) {
        return { succeeded: false, text: `${stack.printed.slice(from)}\n${(error as Error).message}` };
    }
}

/** Interrupts a command when it reaches a step. Then the step continues, if its process still runs. */
export async function interruptAt(
    stack: TestStack,
    command: PulumiCommand,
    step: Hold,
    interruption: Interruption,
): Promise<Outcome> {
    const ended = await interruptIfAt(stack, command, step, interruption);
    if (!ended.reached) {
        throw new Error(`pulumi never reached that step:\n${ended.text}`);
    }
    return ended;
}

/** As `interruptAt`, for a command that may end before it reaches the step. */
export async function interruptIfAt(
    stack: TestStack,
    command: PulumiCommand,
    step: Hold,
    interruption: Interruption,
): Promise<Outcome & { readonly reached: boolean }> {
    const ending = outcome(stack, command);
    const reached = await Promise.race([step.seen.then(() => true), ending.then(() => false)]);
    try {
        if (reached) {
            await INTERRUPTIONS[interruption](await runningPulumi(stack), stack);
        }
    } finally {
        step.release();
    }
    return { ...(await ending), reached };
}

/**
 * Deletes the empty files that a CLI leaves if it is killed while it writes the attributes of its state
 * (docs/troubleshooting.md). Every command fails beside one.
 */
export function removeEmptyAttributes({ backend }: TestStack): void {
    if (!existsSync(backend)) {
        return;
    }
    const names = readdirSync(backend, { recursive: true, encoding: "utf8" });
    names
        .filter((name) => name.endsWith(".attrs"))
        .map((name) => join(backend, name))
        .filter((path) => statSync(path).size === 0)
        .forEach((path) => rmSync(path));
}

/** Removes the lock of a killed CLI with `pulumi cancel`, as Pulumi's error says. */
export async function unlock(stack: TestStack): Promise<void> {
    removeEmptyAttributes(stack);
    const locks = join(stack.backend, ".pulumi", "locks");
    if (
        existsSync(locks) &&
        readdirSync(locks, { recursive: true, encoding: "utf8" }).some((name) => name.endsWith(".json"))
    ) {
        await (await stack.open()).cancel();
    }
}

export interface Recovery extends Outcome {
    /** The output of the failed tries before the last one. */
    readonly failures: readonly string[];
}

/**
 * Does what docs/troubleshooting.md says after an interruption: `cancel` if the stack is locked, then the command again, at
 * most `most` times, and `refresh --clear-pending-creates` if the state has pending operations.
 */
export async function recover(stack: TestStack, verb: "destroy" | "up", most = 1): Promise<Recovery> {
    const automation = await stack.open();
    let last = await outcome(stack, verb);
    if (/failed to load checkpoint: EOF/.test(last.text)) {
        removeEmptyAttributes(stack);
        last = await outcome(stack, verb);
    }
    if (/currently locked/.test(last.text)) {
        await automation.cancel();
        last = await outcome(stack, verb);
    }
    const failures: string[] = [];
    while (!last.succeeded && failures.length + 1 < most) {
        failures.push(last.text);
        last = await outcome(stack, verb);
    }
    if (last.succeeded && stack.state().pendingOperations.length > 0) {
        await automation.refresh({ clearPendingCreates: true });
    }
    await endLeftovers(stack);
    return { ...last, failures };
}

interface Process {
    readonly id: ProcessId;
    readonly words: readonly string[];
}

/** The processes with the stack's backend in their environment: each stack has its own backend. */
function processesOf(stack: TestStack): Process[] {
    const mark = `PULUMI_BACKEND_URL=file://${stack.backend}`;
    return readdirSync("/proc").flatMap((entry) => {
        const id = /^\d+$/.test(entry) ? identify(Number(entry)) : undefined;
        return id !== undefined && id.pid !== process.pid && file(id, "environ").includes(mark)
            ? [{ id, words: file(id, "cmdline").split("\0") }]
            : [];
    });
}

function file({ pid }: ProcessId, name: string): string {
    try {
        return readFileSync(`/proc/${pid}/${name}`, "utf8");
    } catch {
        return "";
    }
}

async function killAll(ids: readonly ProcessId[]): Promise<void> {
    await Promise.all(ids.map(kill));
}

async function kill(id: ProcessId): Promise<void> {
    send(id.pid, "SIGKILL");
    await until("the process has ended", async () => (isAlive(id) ? undefined : true), 10);
}
