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

/** What the preview says of a line of a shell as the only word of a command. */
export function lineNotice([word = "", ...others]: readonly string[]): string | undefined {
    return others.length === 0 && /\S\s+\S/.test(word)
        ? 'is one word with spaces, which names one program. Give each word by itself, or ["bash", "-c", LINE].'
        : undefined;
}
