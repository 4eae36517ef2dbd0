/*
 * Jobs, pods and Kubernetes write names, reasons and outputs. Each such text passes one of these functions before a
 * terminal, a row or a table shows it.
 */

/** Escape sequences of terminals: with parameters (colours, movements), with a text (titles, links), and short ones. */
const SEQUENCES =
    /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
/** Characters that change a terminal or the order of the text, and halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
/** Characters that end a line, or that jump within it. */
const JUMPS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** Characters of a line. */
export const LONGEST_TEXT = 1000;
/** Characters of a line of a message, which the product itself writes. */
const LONGEST_LINE = 8000;
/** Lines of a message. */
const MOST_LINES = 2000;

/** A text without escape sequences, unseen characters and line feeds, and with at most so many characters. */
export function foreignLine(text: string, longest = LONGEST_TEXT): string {
    // The work is bounded: a name may have a megabyte.
    const some = text.slice(0, 16 * longest);
    return shortened(some.replace(SEQUENCES, "").replace(JUMPS, " ").replace(UNSEEN, ""), longest);
}

/** A message with foreign parts: the same, but it keeps its line feeds. */
export function foreignLines(message: string): string {
    const lines = message.split("\n", MOST_LINES).map((line) => foreignLine(line, LONGEST_LINE));
    return lines.join("\n");
}

/** A text with at most so many characters. */
export function shortened(text: string, longest: number): string {
    const characters = text.length <= longest ? [] : [...text];
    return characters.length <= longest ? text : `${characters.slice(0, longest - 3).join("")}...`;
}

/** Valid JSON that a terminal can show: it has escapes in place of unseen characters. */
export function foreignJson(value: unknown, indent?: number): string {
    const unseen = (text: string) =>
        text
            .split("")
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
            .join("");
    // A line feed outside of a text is one of the indentation: inside, it is escaped already.
    return JSON.stringify(value, undefined, indent).replace(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, unseen);
}

/** The text that Python's `ascii()` has quoted, as `flux jobs` prints `{name!a}`: no character in it ends a row. */
export function unquoted(text: string): string {
    const inside = /^(['"])([^]*)\1$/.exec(text)?.[2];
    return inside === undefined ? text : inside.replace(ESCAPED, (escape) => SHORT[escape[1]] ?? codeOf(escape));
}

const ESCAPED = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[^xuU])/g;
const SHORT: Readonly<Record<string, string>> = { "'": "'", '"': '"', "\\": "\\", n: "\n", r: "\r", t: "\t" };

function codeOf(escape: string): string {
    return String.fromCodePoint(parseInt(escape.slice(2), 16));
}
