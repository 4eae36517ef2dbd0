import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const logs: CommandDefinition = {
    name: "logs",
    summary: "show the log of a rank, or the output of a job",
    description:
        "Shows the log of a rank's container (default: rank 0, the lead, and its container flux), " +
        "or the output of a job, also of one that has ended.",
    group: CLUSTERS,
    takesCluster: true,
    words: { usage: "[RANK [CONTAINER] | JOB]", most: 2, completes: "job" },
    options: [{ name: "follow", short: "f", help: "show what is new until the container or the job has ended" }],
    examples: [
        ["logs", "the log of the lead"],
        ["logs lammps 2 -f", "the log of rank 2, and its new lines"],
        ["logs lammps 0 flux-elastic", "another container of the lead"],
        ["logs lammps f26Zqx", "the output of a job"],
    ],
    load: async () => (await import("./action.js")).logs,
};
