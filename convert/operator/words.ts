import { type Place, warnOfExpansions, warnOfPatterns, warnOfSigns, warnOfTags } from "./expansions";
import { type Part, type Quoted, readQuoted } from "./quoted";
import type { Fields, Reader } from "../reader";
import { isPattern, quoted } from "../shell";

type Word = readonly Part[];

/**
 * A command as a list of words. The operator takes the text as a shell takes a text in double quotes: it expands
 * variables once, when the pod starts, splits the result at spaces, and replaces patterns of files. It reads no other
 * sign of a shell. In v1alpha1 it expands no variables, but Kubernetes does.
 */
export function readWords(reader: Reader, path: string, text: string, place: Place): string[] {
    const { isBroken, parts } = place.version === "v1alpha1" ? readPassed(text, place.container) : readQuoted(text);
    if (isBroken) {
        const reason = "has \" without a backslash, or $( or ` without an end, by which the operator's script fails.";
        reader.warn(path, `${reason} Here bash reads the command with its quotes; check it, or give it as a script.`);
        return ["bash", "-c", inOneLine(text)];
    }
    const words = split(parts);
    if (!isAlone(words, place.container)) {
        warnOfSigns(reader, path, text, place.version);
    }
    warnOfTags(reader, path, parts, place);
    warnOfExpansions(reader, path, parts, place);
    // No file is called like an option.
    const patterns = words.filter(hasPattern).map(joined);
    warnOfPatterns(
        reader,
        path,
        patterns.filter((word) => !word.startsWith("-")),
        place,
    );
    if (words.every((word) => !hasPattern(word) && word.every(({ isExpansion }) => !isExpansion))) {
        return words.map(joined);
    }
    return ["bash", "-c", scriptOf(text, words)];
}

/** A command of v1alpha1. Kubernetes passes it on as a word, in which it replaces `$(NAME)` by variables of the pod. */
function readPassed(text: string, { environment, secrets }: Fields): Quoted {
    const known = new Set(Object.keys({ ...(environment as object), ...(secrets as object) }));
    const parts = text.split(/(\$\$|\$\(\w+\))/).map((part): Part => {
        const [, name = ""] = /^\$\((\w+)\)$/.exec(part) ?? [];
        return known.has(name)
            ? { text: `\${${name}}`, isExpansion: true }
            : { text: part.replace("$$", "$"), isExpansion: false };
    });
    return { parts: parts.filter((part) => part.text !== ""), isBroken: false };
}

/** True if Flux passes the launcher to a shell, because it is a single word. */
function isAlone(words: readonly Word[], { commands, launcher }: Fields): boolean {
    return launcher && words.length === 1 && !(commands as Fields | undefined)?.prefix;
}

function split(parts: readonly Part[]): Word[] {
    const words: Part[][] = [[]];
    for (const part of parts) {
        const [first, ...others] = part.isExpansion ? [part.text] : part.text.split(/\s+/);
        words[words.length - 1].push({ ...part, text: first });
        others.forEach((text) => words.push([{ ...part, text }]));
    }
    return words.map((word) => word.filter(({ text }) => text !== "")).filter((word) => word.length > 0);
}

function joined(word: Word): string {
    return word.map(({ text }) => text).join("");
}

function hasPattern(word: Word): boolean {
    return isPattern(joined(word.filter(({ isExpansion }) => !isExpansion)));
}

/** Expansions that mean the same without the double quotes around them. */
const SIMPLE = /^(\$\w+|\$[*@#?$!-]|\$\([^]*\)|\$\{\w+\})$/;

/** A script whose words become those of the operator. `exec`, because no word is a command of the shell itself. */
function scriptOf(text: string, words: readonly Word[]): string {
    const expansions = words.flat().filter(({ isExpansion }) => isExpansion);
    if (expansions.some((part) => !SIMPLE.test(part.text))) {
        return `command="${text}"\nexec $command`;
    }
    return `exec ${words.map(wordInShell).join(" ")}`;
}

function wordInShell(word: Word): string {
    const isOpen = hasPattern(word);
    return word
        .map(({ isExpansion, text }, index) => {
            if (!isExpansion) {
                return quoted(text, isOpen);
            }
            const next = word[index + 1];
            return next !== undefined && /^\w/.test(next.text) ? text.replace(/^\$(\w+)$/, "${$1}") : text;
        })
        .join("");
}

/** The text without line breaks outside of quotes, which only separate words. */
function inOneLine(text: string): string {
    return text.replaceAll(/"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|\s*\n\s*/g, (found) => (/^\s/.test(found) ? " " : found));
}
