import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const forward: CommandDefinition = {
    name: "forward",
    summary: "forward a local port to a port of the lead",
    description:
        "Forwards a local port until Ctrl-C. " +
        "Default: the port of the RESTful server if the cluster has one, else the broker's port.",
    group: CLUSTERS,
    takesCluster: true,
    words: { usage: "[LOCAL[:REMOTE]]", most: 1, completes: "nothing" },
    examples: [
        ["forward lammps 9000", "another local port"],
        ["forward lammps 0:8080", "a free local port for port 8080 of the lead"],
    ],
    load: async () => (await import("./action.js")).forward,
};
