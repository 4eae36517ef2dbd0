import { quote } from "../provider/contract/shellWord";

/** True if a shell replaces the word by names of files. */
export function isPattern(word: string): boolean {
    return /[*?]|\[[^\]]+\]/.test(word);
}

/** Letters that no shell reads, anywhere in a word. */
const SAFE = /^[\w@%+=:,./^-]+$/;

/** The text as a word for a shell, or a part of one. With `isOpen`, its patterns of files stay patterns. */
export function quoted(text: string, isOpen = false): string {
    const pieces = isOpen ? text.split(/([*?]|\[[\w!^.-]+\])/) : [text];
    return pieces.map((piece, index) => (index % 2 === 1 || piece === "" ? piece : quotedPiece(piece))).join("");
}

function quotedPiece(text: string): string {
    return SAFE.test(text) ? text : quote(text);
}

/** Flux passes a launcher that is a single word to a shell. */
export function inShell(words: readonly string[]): string[] {
    const [word] = words;
    return words.length === 1 && quoted(word) !== word ? ["bash", "-c", word] : [...words];
}
