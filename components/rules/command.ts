import { broken, type Problem } from "./problem";

/**
 * Largest size in bytes of one word of a command or one variable that Linux passes to a program.
 * @see https://man7.org/linux/man-pages/man2/execve.2.html
 */
const LONGEST_WORD = 128 * 1024 - 1;

/** Refuses a text that Linux can't pass to a program. */
export function validateWord(property: string, word: string): Problem[] {
    if (word.includes("\0")) {
        return [{ property, reason: "has a NUL character, which Linux can't pass to a program. Remove it." }];
    }
    const bytes = Buffer.byteLength(word);
    const limit = `Linux passes up to ${LONGEST_WORD} to a program`;
    const reason = `has ${bytes} bytes; ${limit}. Give it as a file in a volume.`;
    return bytes > LONGEST_WORD ? [{ property, reason }] : [];
}

/** Refuses a command that Linux can't execute. */
export function validateWords(command: readonly string[]): Problem[] {
    return [
        ...command.flatMap((word, index) => validateWord(`command[${index}]`, word)),
        ...broken([[command[0] === "", "command[0]", "is empty; it must name a program."]]),
    ];
}

/** What the preview says of a line of a shell as the only word of a command. */
export function lineNotice([word = "", ...others]: readonly string[]): string | undefined {
    return others.length === 0 && /\S\s+\S/.test(word)
        ? 'is one word with spaces, which names one program. Give each word by itself, or ["bash", "-c", LINE].'
        : undefined;
}
