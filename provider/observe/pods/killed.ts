import type { Pod } from "./pod";

/** Signals that the scripts of a pod can't handle, by the exit code of the container. Kubernetes ends pods by others. */
const SIGNALS: Readonly<Record<number, string>> = {
    132: "SIGILL",
    134: "SIGABRT",
    135: "SIGBUS",
    136: "SIGFPE",
    137: "SIGKILL",
    139: "SIGSEGV",
    159: "SIGSYS",
};

/** The signal of an exit code that a shell gives for a process which a signal has ended; undefined for other codes. */
export function signalOf(exitCode: number): string | undefined {
    return SIGNALS[exitCode];
}

/**
 * The cause of a pod's end that nobody has asked for: a signal to its broker or to its scripts, which then can't tell
 * the cause themselves. Undefined for other ends, also for a command that a signal has ended: it has the mark `ended`.
 */
export function killedCause({ deleting, name, terminated }: Pod): string | undefined {
    if (terminated === undefined || terminated.init !== undefined || deleting || terminated.reason !== "Error") {
        return undefined;
    }
    const { exitCode, marks } = terminated;
    const signal = signalOf(exitCode);
    if (signal === undefined || marks.error !== undefined || marks.ended !== undefined) {
        return undefined;
    }
    const memory = signal === "SIGKILL" ? ", or the kernel if the node is out of memory" : "";
    return (
        `${name} ended with exit code ${exitCode}: its broker or a script that runs the broker was ended by ${signal}. ` +
        `A job of the cluster may have sent the signal${memory}.`
    );
}
