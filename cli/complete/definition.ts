import { type CommandDefinition, OTHERS } from "../definition/command";

/** What the scripts of `completion` call. */
export const complete: CommandDefinition = {
    name: "__complete",
    summary: "print what can stand at the end of a command line",
    group: OTHERS,
    hidden: true,
    words: { usage: "[WORD...]", most: Infinity, isCommand: true },
    examples: [],
    load: async (all) => {
        const { complete: action } = await import("./action.js");
        return (args) => action(args, all);
    },
};
