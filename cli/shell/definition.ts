import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const shell: CommandDefinition = {
    name: "shell",
    summary: "open a shell on a rank",
    description:
        "Opens a shell on a rank (default: the lead), and exits with the shell's exit code. " +
        "Without a terminal, it reads the script on standard input to its end and runs it; the script's own input is empty.",
    group: CLUSTERS,
    takesCluster: true,
    words: { usage: "[RANK]", most: 1 },
    examples: [
        ["shell", "a shell on the lead"],
        ["shell lammps 3", "a shell on rank 3"],
        ["shell lammps <script.sh", "runs a script on the lead"],
    ],
    load: async () => (await import("./action.js")).shell,
};
