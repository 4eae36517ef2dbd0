/*
 * Finds the commands that a shell script calls, by as much of the shell's grammar as our scripts use. Words in quotes,
 * expansions and conditions are left out, and each command substitution in them is a piece of code of its own.
 */

/** Commands whose words are a command again, after these options and words. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
    become: /^/,
    begin: /^\S+ +/,
    builtin: /^/,
    command: /^(-v +)?/,
    exec: /^/,
    flux: /^(env|exec( +-\S+)*) +/,
    timeout: /^(-s +\S+ +)?\S+ +/,
};
const LEADING = /^(if|then|elif|else|while|until|do|!|\{|[A-Za-z_]\w*\+?=\S*|[0-9_]*[<>]+&?\s*\S+)(\s+|$)/;

export interface Commands {
    /** Builtins, functions and external programs. */
    readonly called: ReadonlySet<string>;
    readonly defined: ReadonlySet<string>;
}

export function commandsOf(script: string): Commands {
    const called = new Set<string>();
    const defined = new Set<string>();
    for (const piece of pieces(script.replaceAll(/\\\n\s*/g, " "))) {
        for (const segment of segments(piece, defined)) {
            note(segment, called);
        }
    }
    return { called, defined };
}

/** Notes the command of a simple command, and those that it wraps. */
function note(text: string, called: Set<string>): void {
    let rest = text.trim();
    while (LEADING.test(rest)) {
        rest = rest.replace(LEADING, "");
    }
    const [, name = "", words = ""] = /^([A-Za-z][\w.-]*)(?:\s+([^]*))?$/.exec(rest) ?? [];
    if (name === "" || ["case", "for", "in"].includes(name)) {
        return;
    }
    called.add(name);
    const before = WRAPPERS[name]?.exec(words);
    if (before) {
        note(words.slice(before[0].length), called);
    }
}

/** Simple commands of a piece of code. A parenthesis that closes nothing ends a pattern of `case`. */
function segments(piece: string, defined: Set<string>): string[] {
    const found: string[] = [];
    let depth = 0;
    let last = "";
    for (const token of piece.split(/(\n|;;|&&|\|\||[;|()]|&(?![\d>])(?<![<>]&))/)) {
        if (token === "(" && /^\w+$/.test(last.trim().replace(/^readonly /, ""))) {
            defined.add(found.pop()!.trim());
        }
        if (token === "(") {
            depth++;
        } else if (token === ")" && depth-- === 0) {
            depth = 0;
            found.pop();
        } else if (/[^\s;&|()]/.test(token)) {
            found.push(token.replace(/^\s*esac/, ""));
        }
        last = token;
    }
    return found;
}

/** Pieces of code: the script without its quoted text, and each command substitution. */
function pieces(script: string): string[] {
    const all: string[] = [];
    let at = 0;
    all.push(code(""));
    return all;

    /** Reads code up to its end, a closing parenthesis for a substitution. */
    function code(until: string): string {
        let out = "";
        for (let depth = 0; at < script.length; ) {
            const rest = script.slice(at);
            if (until === ")" && depth === 0 && rest.startsWith(")")) {
                at++;
                break;
            }
            const arm = opening(rest, out);
            if (arm !== undefined) {
                out += "_";
                arm();
            } else {
                depth += Number(rest[0] === "(") - Number(rest[0] === ")" && depth > 0);
                out += rest[0];
                at++;
            }
        }
        return out;
    }

    /** The reader of what begins here, unless it is plain code. */
    function opening(rest: string, before: string): (() => void) | undefined {
        const isWord = /(^|[\s;&|(])$/.test(before);
        const skipped = (isWord ? /^#[^\n]*/ : /(?!)/).exec(rest) ?? /^(\$'(\\.|[^'\\])*'|'[^']*'|\\[^])/.exec(rest);
        if (skipped) {
            return () => void (at += skipped[0].length);
        }
        const [begin] = /^(\$\(\(|[$<>]\(|\$\{|"|\(\(|\[\[(?=\s)|\()/.exec(rest) ?? [""];
        if (/^[$<>]\($/.test(begin)) {
            return () => {
                at += 2;
                all.push(code(")"));
            };
        }
        const end = endOf(begin, isWord, before.endsWith("="));
        return end === undefined
            ? undefined
            : () => {
                  at += begin.length;
                  text(end);
              };
    }

    /** Skips text up to its end, with the substitutions in it. */
    function text(end: string): void {
        while (at < script.length && !script.startsWith(end, at)) {
            const rest = script.slice(at);
            const isQuoted = end === '"' && /^('|\$'|\[\[|\(|<\(|>\()/.test(rest);
            const arm = isQuoted || rest.startsWith("#") ? undefined : opening(rest, "x");
            if (arm === undefined) {
                at++;
            } else {
                arm();
            }
        }
        at += end.length;
    }
}

/** The end of what `begin` opens: text, an expansion, arithmetic, a condition, or the words of an array. */
function endOf(begin: string, isWord: boolean, isAssigned: boolean): string | undefined {
    if (begin === "(") {
        return isAssigned ? ")" : undefined;
    }
    const ends: Record<string, string> = { "$((": "))", "((": "))", "${": "}", '"': '"', "[[": " ]]" };
    return begin === "((" && !isWord ? undefined : ends[begin];
}
