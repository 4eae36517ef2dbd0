/** A part of a text as a shell reads it between double quotes. */
export interface Part {
    /** For an expansion, its text in the source. */
    readonly text: string;
    readonly isExpansion: boolean;
}

/** A text between double quotes, read once by a shell. */
export interface Quoted {
    readonly parts: readonly Part[];
    /** True if a double quote without a backslash, or an expansion without an end, breaks the text. */
    readonly isBroken: boolean;
}

/** Variables. With them, `${...}`, `$(...)`, `$((...))`, `$[...]` and backticks are expanded. A `$` before anything else is a letter. */
const NAME = /^\$(?:[A-Za-z_]\w*|[0-9*@#?$!-])/;

/**
 * Reads a text as a shell reads it between double quotes. A pair of double quotes in it ends the text and begins it
 * again. That has no effect if only letters and variables that need no quotes are between.
 */
export function readQuoted(source: string): Quoted {
    const parts: Part[] = [];
    let isBroken = false;
    let rest = source;
    while (rest !== "") {
        const { length, read, ...taken } = take(rest);
        isBroken ||= taken.isBroken;
        read.forEach((part) => add(parts, part));
        rest = rest.slice(length);
    }
    return { parts, isBroken };
}

interface Taken {
    readonly read: readonly Part[];
    /** Letters of the source. */
    readonly length: number;
    readonly isBroken: boolean;
}

function take(rest: string): Taken {
    const escape = /^\\([$`"\\\n])/.exec(rest);
    if (escape !== null) {
        return { read: [{ text: escape[1].trim(), isExpansion: false }], length: 2, isBroken: false };
    }
    const pair = PAIR.exec(rest);
    if (pair !== null) {
        return { read: readQuoted(pair[1]).parts, length: pair[0].length, isBroken: false };
    }
    const expansion = expansionAt(rest);
    return {
        read: [{ text: expansion || rest[0], isExpansion: Boolean(expansion) }],
        length: expansion?.length || 1,
        // A last backslash takes away the end of the quotes.
        isBroken: expansion === undefined || rest.startsWith('"') || rest === "\\",
    };
}

/** Letters and variables that a shell reads outside of quotes as between them. */
const PAIR = /^"((?:[\w.,:/@%+=^-]|\$[A-Za-z_]\w*|\$\{\w+\})*)"/;

function add(parts: Part[], part: Part): void {
    const last = parts.at(-1);
    if (last === undefined || last.isExpansion || part.isExpansion) {
        parts.push(part);
    } else {
        parts[parts.length - 1] = { text: last.text + part.text, isExpansion: false };
    }
}

/** The expansion at the beginning of the text, or "". Undefined if it has no end. */
function expansionAt(text: string): string | undefined {
    if (text.startsWith("`")) {
        return /^`(?:\\[^]|[^\\`])*`/.exec(text)?.[0];
    }
    const [, open] = /^\$([({[])/.exec(text) ?? [];
    return open === undefined ? (NAME.exec(text)?.[0] ?? "") : upToEnd(text, open);
}

const CLOSE: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

function upToEnd(text: string, open: string): string | undefined {
    let depth = 0;
    for (let index = 1; index < text.length; index += 1) {
        const quote = /^(?:\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*')/.exec(text.slice(index));
        if (quote !== null) {
            index += quote[0].length - 1;
        } else if (text[index] === open) {
            depth += 1;
        } else if (text[index] === CLOSE[open]) {
            depth -= 1;
            if (depth === 0) {
                return text.slice(0, index + 1);
            }
        }
    }
    return undefined;
}
