import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const results: CommandDefinition = {
    name: "results",
    summary: "fetch the results of a command",
    description:
        "Fetches the files that the argument results of a cluster names, while the lead's pod waits, into results/NAME of this " +
        "folder, which is replaced when all of them have arrived with the right checksums. Results in a volume are copied " +
        "through a new pod.",
    group: CLUSTERS,
    takesCluster: true,
    options: [
        {
            name: "to",
            value: "DIR",
            help: "another folder than results/NAME, which is replaced as well",
            completes: "file",
        },
    ],
    examples: [
        ["results lammps", "into results/lammps"],
        ["results lammps --to run-7", "into run-7"],
    ],
    load: async () => (await import("./action.js")).results,
};
