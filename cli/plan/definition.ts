import { type CommandDefinition, OTHERS } from "../definition/command";

export const plan: CommandDefinition = {
    name: "plan",
    summary: "say what an update or a destroy starts and ends",
    description:
        "Reads the output of pulumi preview --json, or of pulumi destroy --preview-only --json, " +
        "from a file or from standard input.",
    group: OTHERS,
    words: { usage: "[FILE]", most: 1, completes: "file" },
    options: [
        { name: "no-kill", help: "exit with 3 if a running command or job may end" },
        {
            name: "max-node-hours",
            value: "N",
            help: "exit with 3 if the pods that the plan starts may take more hours of nodes",
        },
    ],
    examples: [],
    load: async () => (await import("./action.js")).plan,
};
