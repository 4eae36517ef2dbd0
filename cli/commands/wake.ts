import type { CommandDefinition } from "../definition";
import { CLUSTERS } from "./groups";

export const wake: CommandDefinition = {
    name: "wake",
    summary: "wake a cluster that sleeps",
    description: "Resumes a cluster that sleeps (elastic.sleepAfter), and waits until it takes jobs.",
    group: CLUSTERS,
    takesCluster: true,
    examples: [["wake lammps", "returns when the cluster lammps takes jobs"]],
    load: async () => (await import("../actions/wake.js")).wakeUp,
};
