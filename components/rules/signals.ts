import type { Problem } from "./problem";

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
