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
