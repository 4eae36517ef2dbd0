import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const wake: CommandDefinition = {
    name: "wake",
    summary: "wake a cluster that sleeps",
    description: "Resumes a cluster that sleeps (elastic.sleepAfter), and waits until it takes jobs.",
    group: CLUSTERS,
    takesCluster: true,
    examples: [["wake lammps", "returns when the cluster lammps takes jobs"]],
    load: async () => (await import("./action.js")).wakeUp,
};
