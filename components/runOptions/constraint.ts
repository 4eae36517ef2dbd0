import type { Problem } from "../rules/problem";

/** The words of a constraint, by the lexer of Flux (flux/constraint/parser.py). */
const WORD =
    /^(?:(?<minus>-)|(?<not>not\b)|(?<and>&{1,2}|and\b)|(?<or>\|{1,2}|or\b)|(?<open>\()|(?<close>\))|(?<quoted>"[^"]+"|'[^']+')|(?<term>[^()|&\s"']+))/;

type Kind = "and" | "close" | "minus" | "not" | "open" | "or" | "term";

interface Word {
    readonly kind: Kind;
    readonly text: string;
}

/** Operators of RFC 31 and their short forms in flux-core. A term without an operator is a property. */
const OPERATORS = ["properties", "host", "hosts", "hostlist", "rank", "ranks"];
const IDSET = /^\[?\d+(-\d+)?(,\d+(-\d+)?)*\]?$/;

const CURE = "Write it like host:mc-[0-1], rank:0-3, or (fast or big) and not rank:0.";

/**
 * Refuses a constraint that isn't in the syntax of RFC 35, or whose operators Flux doesn't know.
 * @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_35.html
 */
export function validateConstraint(property: string, text: string | undefined): Problem[] {
    const problem = text === undefined ? undefined : problemIn(text);
    return problem === undefined ? [] : [{ property, reason: `is ${JSON.stringify(text)}; ${problem}. ${CURE}` }];
}

function problemIn(text: string): string | undefined {
    // The lead reads one option in each line.
    if (/[\0-\x1f]/.test(text)) {
        return "a constraint has no control characters";
    }
    const words = wordsOf(text);
    return typeof words === "string"
        ? words
        : (orderProblem(words) ?? parenthesesProblem(words) ?? words.map(termProblem).find(Boolean));
}

/** The words, or why the text has no words. */
function wordsOf(text: string): Word[] | string {
    const words: Word[] = [];
    let rest = text.trim();
    while (rest !== "") {
        const found = WORD.exec(rest);
        const [kind, part] = Object.entries(found?.groups ?? {}).find(([, group]) => group !== undefined) ?? [];
        if (found === null || part === undefined) {
            return "a quote isn't closed, or has nothing in it";
        }
        words.push(kind === "quoted" ? { kind: "term", text: part.slice(1, -1) } : { kind: kind as Kind, text: part });
        rest = rest.slice(found[0].length).trimStart();
    }
    return joined(words);
}

/** Joins an operator with the value that follows it after a space or in quotes. */
function joined(words: readonly Word[]): Word[] {
    return words.reduce<Word[]>((all, word) => {
        const last = all.at(-1);
        return word.kind === "term" && last?.kind === "term" && last.text.endsWith(":")
            ? [...all.slice(0, -1), { kind: "term", text: last.text + word.text }]
            : [...all, word];
    }, []);
}

/** The first word that can't stand where it is. Two terms side by side are joined by `and`. */
function orderProblem(words: readonly Word[]): string | undefined {
    const misplaced = words.map((word, index) => misplacedAfter(words[index - 1]?.kind, word)).find(Boolean);
    return misplaced ?? (isComplete(words.at(-1)?.kind) ? undefined : "a constraint is missing at its end");
}

function misplacedAfter(before: Kind | undefined, { kind, text }: Word): string | undefined {
    if (["and", "or", "close"].includes(kind) && !isComplete(before)) {
        return `a constraint is missing before "${text}"`;
    }
    return before === "minus" && kind !== "term"
        ? `"-" stands before "${text}", but it negates only one term`
        : undefined;
}

function isComplete(last: Kind | undefined): boolean {
    return last === "term" || last === "close";
}

function parenthesesProblem(words: readonly Word[]): string | undefined {
    let depth = 0;
    for (const { kind } of words) {
        depth += kind === "open" ? 1 : kind === "close" ? -1 : 0;
        if (depth < 0) {
            return 'a ")" has no "("';
        }
    }
    return depth > 0 ? 'a "(" has no ")"' : undefined;
}

function termProblem({ kind, text }: Word): string | undefined {
    const colon = text.indexOf(":");
    if (kind !== "term" || colon < 0) {
        return undefined;
    }
    const [operator, value] = [text.slice(0, colon), text.slice(colon + 1)];
    if (!OPERATORS.includes(operator)) {
        return `Flux knows no operator ${operator}, but ${OPERATORS.join(", ")}`;
    }
    if (value === "") {
        return `${operator} has no value`;
    }
    const isRanks = operator.startsWith("rank");
    return isRanks && !IDSET.test(value) ? `"${value}" is no list of ranks` : undefined;
}
