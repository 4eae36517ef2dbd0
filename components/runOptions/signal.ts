import { type RunOptions, SIGNAL_NAME, SIGNAL_TIME_LEFT } from "../../provider/contract/runOptions";
import { validateAtLeast } from "../rules/atLeast";
import type { Problem } from "../rules/problem";
import { validateSignalName } from "../rules/signals";

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
