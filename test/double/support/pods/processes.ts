import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** A process of any pod, with its pid on the machine. */
export interface Process {
    readonly pid: number;
    /** The process namespace, which differs between containers. */
    readonly namespace: string;
    readonly words: readonly string[];
}

/** The processes with a variable in their environment. `flux submit --env` sets it for tasks and their children. */
export function withVariable(variable: string): Process[] {
    const bytes = Buffer.from(`\0${variable}\0`);
    return processes().filter(({ pid }) => environmentOf(pid).includes(bytes));
}

/** All processes of a container. */
export const inNamespace = (namespace: string): Process[] => processes().filter((each) => each.namespace === namespace);

/** The broker among the processes of a container. Its parent shells, which have the same words, are left out. */
export function brokerAmong(candidates: readonly Process[]): Process | undefined {
    const brokers = candidates.filter(
        ({ words: [program = "", ...words] }) =>
            !["bash", "env", "sh", "timeout"].includes(basename(program)) &&
            words.some((word) => word.startsWith("-Srundir=")),
    );
    return brokers.sort((a, b) => a.pid - b.pid)[0];
}

/** Whether a process ignores a signal. */
export const ignores = (pid: number, signal: number): boolean => isIn("SigIgn", pid, signal);

/** Whether a process has a handler for a signal. */
export const catches = (pid: number, signal: number): boolean => isIn("SigCgt", pid, signal);

function isIn(mask: "SigCgt" | "SigIgn", pid: number, signal: number): boolean {
    const bits = attempt(
        () => new RegExp(`^${mask}:\\s*(\\w+)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1],
    );
    return ((BigInt(`0x${bits ?? "0"}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

function processes(): Process[] {
    const pids = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
    return pids.flatMap((pid) => {
        const namespace = namespaceOf(pid);
        return namespace === undefined ? [] : [{ pid, namespace, words: wordsOf(pid) }];
    });
}

const environmentOf = (pid: number): Buffer =>
    attempt(() => Buffer.concat([Buffer.of(0), readFileSync(`/proc/${pid}/environ`)])) ?? Buffer.alloc(0);

/** The words of a process's command line. None after its end. */
export const wordsOf = (pid: number): string[] =>
    attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)) ?? [];

export const childrenOf = (pid: number): number[] =>
    attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)) ??
    [];

export const namespaceOf = (pid: number): string | undefined => attempt(() => readlinkSync(`/proc/${pid}/ns/pid`));

/** Undefined if the process ends during the look. */
function attempt<T>(look: () => T): T | undefined {
    try {
        return look();
    } catch {
        return undefined;
    }
}
