import { RUN_OPTION_NAMES, RUN_OPTIONS } from "../../provider/contract/runOptions";
import { type Synonyms, suggestionFor } from "../../provider/contract/suggestion";
import { optionOf } from "../definition/command";
import { COMMAND_SYNONYMS, LETTER_SYNONYMS, OPTION_SYNONYMS } from "./synonyms";

/** Names of options in Flux, and ours. */
const IN_FLUX = new Map<string, string>(
    RUN_OPTION_NAMES.flatMap((name) => {
        const { flag, short } = RUN_OPTIONS[name];
        const ours = `--${optionOf(name)}${name === "timeLimit" ? " SECONDS" : ""}`;
        return [[`--${flag}`, ours] as const, [`-${short}`, ours] as const];
    }),
);

/** The parser's message on an option without its value, in our words. */
export function missingValue(message: string): string {
    const [, flag, value] = /(--[\w-]+) <(.+?)>/.exec(message) ?? [];
    return `${flag} has no value; it must be ${flag} ${value}.`;
}

/** What an unknown word may stand for: the commands, or the options of a command, in our words. */
interface Known {
    /** The name of the command, or of the program. */
    readonly command: string;
    readonly commands: readonly string[];
    readonly options: readonly string[];
    /** Options without values. */
    readonly switches: readonly string[];
}

/** The parser's message on an unknown option or command, in our words. */
export function unknown(message: string, { command, commands, options, switches }: Known): string {
    const [, kind, word] = /unknown (option|command) '([^]*?)'/.exec(message) ?? [];
    if (word === undefined) {
        return message.replace(/^error: /, "");
    }
    if (kind === "command") {
        return `there is no command ${word}. ${hint(word, commands, COMMAND_SYNONYMS)}`.trim();
    }
    const [name] = word.split("=");
    if (name !== word && switches.includes(name)) {
        return `${command} has no option ${word}; ${name} takes no value.`;
    }
    return `${command} has no option ${word}. ${optionHint(name, command, options)}`.trim();
}

function optionHint(name: string, command: string, options: readonly string[]): string {
    const inFlux = command === "submit" ? IN_FLUX.get(name) : undefined;
    const meant = LETTER_SYNONYMS[command]?.[name] ?? name;
    const direct = inFlux ?? (options.includes(meant) ? meant : undefined);
    const synonyms = Object.hasOwn(OPTION_SYNONYMS, command) ? OPTION_SYNONYMS[command] : {};
    return direct === undefined ? hint(meant, options, synonyms) : `Did you mean ${direct}?`;
}

/** A letter is near to every option, and a list of all commands is what help prints. */
function hint(word: string, known: readonly string[], synonyms: Synonyms): string {
    const text = suggestionFor(word, known, synonyms);
    return /^(The nearest|Use one of)/.test(text) || (/^-.$/.test(word) && !text.startsWith("Did")) ? "" : text;
}
