import { foreignLine, shortened } from "../contract/foreignText";

/**
 * What a terminal would show of a line of an output, with at most so many characters: without colours and control
 * characters, and of a line that was written over itself only the last text.
 */
export function lineText(bytes: Buffer, longest: number): string {
    const shown = bytes
        .toString()
        .split("\r")
        .map((part) => foreignLine(part, Infinity).replaceAll("\ufffd", ""));
    const text = shown.findLast((part) => part.trim() !== "") ?? "";
    return shortened(text.trimEnd(), longest);
}
