import { type CommandDefinition, OTHERS } from "../definition/command";

const SHELLS = ["bash", "zsh", "fish"];

export const completion: CommandDefinition = {
    name: "completion",
    summary: "print the completion for a shell",
    description:
        "Prints a script that completes commands, options, the names of clusters and the ids of jobs in bash, zsh or fish. " +
        "The program must be on PATH.",
    group: OTHERS,
    words: { usage: SHELLS.join("|"), least: 1, most: 1, completes: SHELLS },
    examples: [
        ["completion bash >>~/.bashrc", "for bash"],
        ["completion zsh >>~/.zshrc", "for zsh, behind compinit"],
        ["completion fish >~/.config/fish/completions/minicluster.fish", "for fish"],
    ],
    load: async () => (await import("./action.js")).completion,
};
