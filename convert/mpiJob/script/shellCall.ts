import { programName } from "../launch/word";

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
