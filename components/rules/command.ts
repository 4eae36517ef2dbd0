import type { Problem } from "./problem";
import { validateWord } from "./words";

/** Refuses a command that Linux can't execute. */
export function validateWords(command: readonly string[]): Problem[] {
    const problems = command.flatMap((word, index) => validateWord(`command[${index}]`, word));
    if (command[0] === "") {
        problems.push({ property: "command[0]", reason: "is empty; it must name a program." });
    }
    return problems;
}
