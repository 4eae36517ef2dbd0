import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const list: CommandDefinition = {
    name: "list",
    summary: "list the MiniClusters of a namespace",
    group: CLUSTERS,
    examples: [
        ["list", "the clusters in the namespace of the kubeconfig's context"],
        ["list -n hpc --json", "those of the namespace hpc, for a program"],
    ],
    load: async () => (await import("./action.js")).list,
};
