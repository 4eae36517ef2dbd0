import { type RunOptions, SIGNAL_NAME, SIGNAL_TIME_LEFT } from "../../provider/contract/runOptions";
import { validateAtLeast } from "../rules/atLeast";
import type { Problem } from "../rules/problem";

/** Refuses a signal that Linux doesn't know, and one that Flux wouldn't send before the time limit. */
export function validateSignal({ signal, timeLimit }: RunOptions): Problem[] {
    if (signal === undefined) {
        return [];
    }
    const { name = SIGNAL_NAME, timeLeft } = signal;
    const problems = [
        ...validateAtLeast([["signal.timeLeft", timeLeft, 1]]),
        ...validateSignalName("signal.name", name),
    ];
    if (timeLimit === undefined) {
        const reason = "is given, but timeLimit is missing; Flux sends the signal before that limit. Give timeLimit.";
        problems.push({ property: "signal", reason });
    } else if ((timeLeft ?? SIGNAL_TIME_LEFT) >= timeLimit) {
        const value = timeLeft ?? `${SIGNAL_TIME_LEFT} by default`;
        const why = `not below timeLimit ${timeLimit}; Flux would send the signal at the start`;
        const reason = `is ${value}, ${why}. Lower it or raise timeLimit.`;
        problems.push({ property: "signal.timeLeft", reason });
    }
    return problems;
}

/** The signals of Linux by their names, as Flux takes them. */
const SIGNALS =
    "ABRT ALRM BUS CHLD CONT FPE HUP ILL INT IO KILL PIPE PROF PWR QUIT SEGV STOP SYS TERM TRAP TSTP TTIN TTOU URG " +
    "USR1 USR2 VTALRM WINCH XCPU XFSZ";

/** Refuses the name of a signal that Linux doesn't know. */
export function validateSignalName(property: string, name: string): Problem[] {
    if (SIGNALS.split(" ").includes(name.replace(/^SIG/, ""))) {
        return [];
    }
    return [{ property, reason: `is "${name}", which is no signal of Linux. Use a name such as TERM or USR1.` }];
}
