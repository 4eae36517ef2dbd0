import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const doctor: CommandDefinition = {
    name: "doctor",
    summary: "say why a cluster hangs, or what a namespace lacks",
    description:
        "Examines a cluster from the kubeconfig to Flux' queue, and prints a line for each check, with its cure. Without a " +
        "cluster, it examines what a MiniCluster would need in the namespace. It changes nothing. It exits with 1 if a " +
        "check has failed.",
    group: CLUSTERS,
    takesCluster: true,
    examples: [
        ["doctor lammps", "why the cluster lammps hangs"],
        ["doctor -n hpc", "what the namespace hpc lacks for a cluster"],
    ],
    load: async () => (await import("./action.js")).doctor,
};
