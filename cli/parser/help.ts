import type { Command, HelpConfiguration } from "commander";

import type { CommandDefinition } from "../definition/command";
import { programName } from "../definition/programName";
import { isFancy } from "../terminal/terminal";

const bold = (text: string) => (isFancy(process.stdout) ? `\u001b[1m${text}\u001b[0m` : text);

/** How help looks. */
export const HELP_SETTINGS: HelpConfiguration = {
    // Its rows are the words of a command, which the usage already has.
    visibleArguments: () => [],
    subcommandTerm: (command: Command) => [command.name(), ...command.aliases()].join(", "),
    optionTerm: (option) => option.flags.replace(/<(.+)>/, "$1"),
    styleTitle: bold,
};

/** The examples of a command in its help. */
export function examplesOf({ examples }: CommandDefinition): string {
    const lines = examples.map(([words, purpose]) => `  ${programName()} ${words}\n      ${purpose}`);
    return lines.length === 0 ? "" : `\n${bold("Examples:")}\n${lines.join("\n")}\n`;
}
