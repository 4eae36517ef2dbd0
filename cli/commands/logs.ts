import type { CommandDefinition } from "../definition";
import { CLUSTERS } from "./groups";

export const logs: CommandDefinition = {
    name: "logs",
    summary: "show the log of a rank",
    description: "Shows the log of a rank's container (default: rank 0, the lead, and its container flux).",
    group: CLUSTERS,
    takesCluster: true,
    words: { usage: "[RANK [CONTAINER]]", most: 2 },
    options: [{ name: "follow", short: "f", help: "show new lines until the container has ended" }],
    examples: [
        ["logs", "the log of the lead"],
        ["logs lammps 2 -f", "the log of rank 2, and its new lines"],
        ["logs lammps 0 flux-elastic", "another container of the lead"],
    ],
    load: async () => (await import("../actions/logs.js")).logs,
};
