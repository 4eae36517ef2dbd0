import { type Launch, programName, type Word } from "../launch/launch";
import { isStarter, readLaunch } from "../launch/read";
import { type Token, tokensOf } from "./tokens";
import type { Reader } from "../../reader";

/** Words before which a command begins. */
const BEFORE = ["!", "do", "elif", "else", "exec", "if", "nohup", "then", "time", "until", "while", "{"];

/** The words of a script that is a single command without expansions; undefined for another one. */
export function singleCommand(script: string, path: string): Word[] | undefined {
    const tokens = trimmed(tokensOf(script.trim()) ?? []);
    const words = tokens[0]?.text === "exec" ? tokens.slice(1) : tokens;
    const isPlain = words.every(({ expands, kind }) => kind === "word" && !expands);
    const isCommand = words.length > 0 && isPlain && !/^\w+=/.test(words[0].raw) && !BEFORE.includes(words[0].raw);
    return isCommand ? words.map((token) => wordIn(token, path)) : undefined;
}

function trimmed(tokens: readonly Token[]): readonly Token[] {
    return /^[;\n]$/.test(tokens.at(-1)?.raw ?? "") ? tokens.slice(0, -1) : tokens;
}

function wordIn({ expands, raw, text }: Token, path: string): Word {
    return { expands, raw, text, path };
}

export interface Rewritten {
    readonly text: string;
    readonly launches: readonly Launch[];
    /** True if all programs such as mpirun have been replaced. */
    readonly isWhole: boolean;
}

/** The script with `flux run` in place of each mpirun. `render` gives the words of flux run up to the program. */
export function rewritten(
    reader: Reader,
    script: string,
    {
        implementation,
        path,
        render,
    }: {
        readonly implementation: string;
        readonly path: string;
        readonly render: (launch: Launch) => string;
    },
): Rewritten {
    const tokens = tokensOf(script);
    const launches: Launch[] = [];
    let text = "";
    let position = 0;
    for (const [index, token] of (tokens ?? []).entries()) {
        if (isCommand(tokens ?? [], index) && isStarter(token.text)) {
            const command = commandAt(tokens ?? [], index);
            const launch = readLaunch(
                reader,
                command.map((word) => wordIn(word, path)),
                implementation,
            );
            if (launch !== undefined) {
                launches.push(launch);
                text += `${script.slice(position, token.start)}${render(launch)} `;
                position = placeOf(command, launch);
            }
        }
    }
    const all = text + script.slice(position);
    return { text: all, launches, isWhole: !hasStarter(all) };
}

/** The place of the launched program in the script. */
function placeOf(command: readonly Token[], { added = 0, program }: Launch): number {
    return command[command.length - (program.length - added)].start;
}

/** The words of the command from the token on, up to a sign or a redirection. */
function commandAt(tokens: readonly Token[], index: number): readonly Token[] {
    const rest = tokens.slice(index);
    const end = rest.findIndex(({ kind }) => kind !== "word");
    return rest.slice(0, end < 0 ? rest.length : end);
}

/** True if a command begins at the token: behind a sign, a word such as `then`, or variables of the command. */
function isCommand(tokens: readonly Token[], index: number): boolean {
    if (tokens[index].kind !== "word") {
        return false;
    }
    const before = tokens[index - 1];
    return (
        before === undefined ||
        before.kind === "sign" ||
        ((BEFORE.includes(before.raw) || /^\w+=/.test(before.raw)) && isCommand(tokens, index - 1))
    );
}

/** True if a text for a shell names a program such as mpirun. */
export function hasStarter(text: string): boolean {
    const code = text.replaceAll(/(^|\s)#.*$/gm, "");
    return code.split(/[\s;&|()'"`]+/).some((word) => isStarter(word));
}

/** The call of a shell with a script in a word. */
export interface ShellCall {
    /** Number of the word with the script. */
    readonly index: number;
    /** True if the shell does nothing but run the script: it reads no profile, and has no further words. */
    readonly isPlain: boolean;
}

const SHELLS = ["ash", "bash", "dash", "sh"];

/** Finds the script in words such as `bash -ec SCRIPT`. */
export function shellCallOf(words: readonly string[]): ShellCall | undefined {
    if (words.length === 0 || !SHELLS.includes(programName(words[0]))) {
        return undefined;
    }
    const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
    const before = words.slice(1, option);
    const isCall =
        option > 0 && option + 1 < words.length && before.every((word) => /^[-+]/.test(word) || word === "pipefail");
    return isCall
        ? {
              index: option + 1,
              isPlain: words.length === option + 2 && before.length === 0 && /^-[eux]*c$/.test(words[option]),
          }
        : undefined;
}
