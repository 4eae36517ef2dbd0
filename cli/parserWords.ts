import { RUN_OPTION_NAMES, RUN_OPTIONS } from "../provider/contract/runOptions";
import { optionOf } from "./optionName";

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

/** The parser's message on an unknown option or command, in our words. `switches` have no values. */
export function unknown(message: string, command: string, switches: readonly string[]): string {
    const [, kind, word] = /unknown (option|command) '([^]*?)'/.exec(message) ?? [];
    if (word === undefined) {
        return message.replace(/^error: /, "");
    }
    const [name] = word.split("=");
    if (name !== word && switches.includes(name)) {
        return `${command} has no option ${word}; ${name} takes no value.`;
    }
    const similar = /Did you mean (?:one of )?(.+)\?\)/.exec(message)?.[1];
    const meant = (command === "submit" ? IN_FLUX.get(name) : undefined) ?? similar;
    const what = kind === "command" ? `there is no command ${word}` : `${command} has no option ${word}`;
    return meant === undefined ? `${what}.` : `${what}; did you mean ${meant}?`;
}
