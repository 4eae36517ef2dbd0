import type { Problem } from "./problem";
import type { MiniClusterSpec } from "./spec";

/** Most bytes of one word of a command or one variable that Linux passes on. @see https://man7.org/linux/man-pages/man2/execve.2.html */
const LONGEST_WORD = 128 * 1024 - 1;
/** Bytes of all that is in the Job or the ConfigMap, where the API server takes about 1 MiB; the scripts are in there too. */
const MOST_TEXT = 800_000;

/** Texts that no program can be given. */
export function validateWord(property: string, word: string): Problem[] {
    if (word.includes("\0")) {
        return [{ property, reason: "has a NUL character; no program can get one." }];
    }
    const bytes = Buffer.byteLength(word);
    const reason = `has ${bytes} bytes; Linux passes on up to ${LONGEST_WORD}. Give it as a file in a volume.`;
    return bytes > LONGEST_WORD ? [{ property, reason }] : [];
}

/** More text than the objects of a cluster can hold. */
export function validateTexts(spec: MiniClusterSpec): Problem[] {
    const sizes = Object.entries(spec).map(([property, value]) => ({ property, bytes: Buffer.byteLength(JSON.stringify(value) ?? "") }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MOST_TEXT) {
        return [];
    }
    const { bytes, property } = sizes.reduce((most, next) => (next.bytes > most.bytes ? next : most));
    const reason = `has ${bytes} bytes; all arguments together may have ${MOST_TEXT}, which Kubernetes can hold. Give it as a file in a volume.`;
    return [{ property, reason }];
}
