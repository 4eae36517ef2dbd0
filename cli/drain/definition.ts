import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const drain: CommandDefinition = {
    name: "drain",
    summary: "start no more jobs on ranks or nodes",
    description:
        "Starts no more jobs on ranks, before the maintenance of their nodes. Running jobs go on. The lead's queues start " +
        "no jobs (with archive), or accept none (without). A rank is undrained when its next pod has joined.",
    group: CLUSTERS,
    takesCluster: true,
    words: { usage: "NODE|RANK...", least: 1, most: Infinity, completes: "nothing" },
    options: [{ name: "undo", help: "start jobs there again" }],
    examples: [
        ["drain lammps node-1", "prepares `kubectl drain node-1`"],
        ["drain lammps 2 3", "drains two ranks"],
        ["drain lammps node-1 --undo", "if the pods haven't left"],
    ],
    load: async () => (await import("./action.js")).drain,
};
