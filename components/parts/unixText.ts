/** The byte order mark with which some editors begin a file. */
export const MARK = "\ufeff";

/** A script or a configuration as Linux needs it: without the line ends and the byte order mark of Windows. */
export function unixText(text: string): string {
    return (text.startsWith(MARK) ? text.slice(1) : text).replaceAll("\r\n", "\n");
}

/** The same of a text that may not be given. */
export function unixTextOf(text: string | undefined): string | undefined {
    return text === undefined ? undefined : unixText(text);
}

/** True if the text has several lines: it is a text or a script, not a single value with a line end after it. */
export function hasLines(text: string): boolean {
    return /\n[^]*[^\r\n]/.test(text);
}

/** Words of a command as Linux needs them. A word of several lines is a script, as in `["bash", "-c", "..."]`. */
export function unixWords(words: readonly string[]): string[] {
    return words.map((word) => (typeof word === "string" && hasLines(word) ? unixText(word) : word));
}
