import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const status: CommandDefinition = {
    name: "status",
    summary: "show ranks, nodes and phases",
    description:
        "Shows the state of a cluster and of its ranks, the last progress of its command, and which check of preflight has failed.",
    group: CLUSTERS,
    takesCluster: true,
    examples: [
        ["status", "the cluster that the stack of this folder exports"],
        ["status lammps -n hpc", "the cluster lammps in the namespace hpc"],
    ],
    load: async () => (await import("./action.js")).status,
};
