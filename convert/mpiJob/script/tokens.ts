/** A part of a script for a shell. */
export interface Token {
    /** A sign separates commands; others, such as redirections, belong to a command. */
    readonly kind: "sign" | "other" | "word";
    readonly raw: string;
    /** A word without its quotes. */
    readonly text: string;
    /** True if the shell replaces a part of the word. */
    readonly expands: boolean;
    readonly start: number;
    readonly end: number;
}

const SPACE = /(?:[ \t\r]|\\\r?\n)+/y;
const COMMENT = /#[^\n]*/y;
const SIGN = /\n|;;|;|&&|\|\||\|&|&(?!>)|\||\(|\)/y;
const OTHER = /\d*(?:<<<|<<-?|<>|>>|>\||[<>]&?|&>>?)/y;

/** Parts of a word: quoted texts, escaped characters, expansions, and other characters. */
const PARTS: readonly (readonly [pattern: RegExp, read: (found: string) => Part])[] = [
    [/'[^']*'/y, (found) => plain(found.slice(1, -1))],
    [/\\\r?\n/y, () => plain("")],
    [/\\[^]/y, (found) => plain(found.slice(1))],
    [/"(?:\\[^]|[^"\\])*"/y, readDouble],
    [
        /\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|`(?:\\[^]|[^`\\])*`|\$\w+|\$[*@#?$!-]/y,
        (found) => ({ text: found, expands: true }),
    ],
    [/[^\s;&|()<>'"\\`$]+/y, (found) => ({ text: found, expands: /[*?[\]{}~]/.test(found) })],
    // Bash reads these quotes in its own way.
    [/\$(?=['"])/y, (found) => ({ text: found, expands: true })],
    [/\$/y, plain],
];

interface Part {
    readonly text: string;
    readonly expands: boolean;
}

function plain(text: string): Part {
    return { text, expands: false };
}

/** A text in double quotes, in which a shell expands variables and commands only. */
function readDouble(found: string): Part {
    const inner = found.slice(1, -1);
    const code = inner.replaceAll(/\\[^]/g, "");
    return { text: inner.replaceAll(/\\([$`"\\])|\\\r?\n/g, "$1"), expands: /[$`]/.test(code) };
}

/** The parts of a script; undefined if it has a text that this doesn't read, such as a here-document. */
export function tokensOf(script: string): Token[] | undefined {
    const tokens: Token[] = [];
    let position = 0;
    const take = (pattern: RegExp): string | undefined => {
        pattern.lastIndex = position;
        const found = pattern.exec(script)?.[0];
        position += found?.length ?? 0;
        return found;
    };
    while (position < script.length) {
        const start = position;
        const isAfterSpace = start === 0 || /\s/.test(script[start - 1]);
        if (take(SPACE) !== undefined || (isAfterSpace && take(COMMENT) !== undefined)) {
            continue;
        }
        const token = tokenAt(take, start);
        if (token === undefined || /^\d*<<-?$/.test(token.raw)) {
            return undefined;
        }
        tokens.push({ ...token, end: position });
    }
    return tokens;
}

type Take = (pattern: RegExp) => string | undefined;

function tokenAt(take: Take, start: number): Token | undefined {
    const other = take(OTHER);
    if (other !== undefined) {
        return { kind: "other", raw: other, text: other, expands: false, start, end: start };
    }
    const sign = take(SIGN);
    if (sign !== undefined) {
        return { kind: "sign", raw: sign, text: sign, expands: false, start, end: start };
    }
    return wordAt(take, start);
}

function wordAt(take: Take, start: number): Token | undefined {
    const parts: Part[] = [];
    let raw = "";
    for (let found = partAt(take); found !== undefined; found = partAt(take)) {
        parts.push(found.part);
        raw += found.raw;
    }
    const text = parts.map((part) => part.text).join("");
    return raw === ""
        ? undefined
        : { kind: "word", raw, text, expands: parts.some((part) => part.expands), start, end: start };
}

function partAt(take: Take): { readonly part: Part; readonly raw: string } | undefined {
    for (const [pattern, read] of PARTS) {
        const raw = take(pattern);
        if (raw !== undefined) {
            return { part: read(raw), raw };
        }
    }
    return undefined;
}
