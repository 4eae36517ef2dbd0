import type { Problem } from "./problem";

/** Most bytes of one word of a command or one variable that Linux passes on. @see https://man7.org/linux/man-pages/man2/execve.2.html */
const LONGEST_WORD = 128 * 1024 - 1;

/** Texts that no program can be given. */
export function validateWord(property: string, word: string): Problem[] {
    if (word.includes("\0")) {
        return [{ property, reason: "has a NUL character; no program can get one." }];
    }
    const bytes = Buffer.byteLength(word);
    const reason = `has ${bytes} bytes; Linux passes on up to ${LONGEST_WORD}. Give it as a file in a volume.`;
    return bytes > LONGEST_WORD ? [{ property, reason }] : [];
}
