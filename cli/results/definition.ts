import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const results: CommandDefinition = {
    name: "results",
    summary: "fetch the results of a command or a job",
    description:
        "Fetches the files that the argument results of a cluster names, while the lead's pod waits, into results/NAME of this " +
        "folder, which is replaced when all of them have arrived with the right checksums. Results in a volume are copied " +
        "through a new pod. With the id of a FluxJob's job, fetches what its argument results names, while the pods of the " +
        "job's ranks are there, into results/NAME of the FluxJob.",
    group: CLUSTERS,
    takesCluster: true,
    words: { usage: "[JOB]", most: 1, completes: "job" },
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
        ["results lammps f26Zqx", "those of the job f26Zqx, into results/NAME of its FluxJob"],
    ],
    load: async () => (await import("./action.js")).results,
};
