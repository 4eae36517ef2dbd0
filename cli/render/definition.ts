import { type CommandDefinition, OTHERS } from "../definition/command";

export const render: CommandDefinition = {
    name: "render",
    summary: "print a cluster as plain YAML for kubectl",
    description:
        "Reads the arguments of a MiniCluster in YAML or JSON, or what pulumi preview --json or pulumi stack export prints, " +
        "from a file or from standard input.",
    group: OTHERS,
    words: { usage: "[FILE]", most: 1, completes: "file" },
    examples: [],
    load: async () => (await import("./action.js")).render,
};
