import { quote } from "../provider/contract/paths";

/** Letters that no shell reads, anywhere in a word. */
const SAFE = /^[\w@%+=:,./^-]*$/;

/** The text as a word for a shell, or a part of one. */
export function quoted(text: string): string {
    return SAFE.test(text) ? text : quote(text);
}

/** Flux passes a launcher that is a single word to a shell. */
export function inShell(words: readonly string[]): string[] {
    const [word] = words;
    return words.length === 1 && quoted(word) !== word ? ["bash", "-c", word] : [...words];
}
