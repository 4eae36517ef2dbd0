import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const report: CommandDefinition = {
    name: "report",
    summary: "write a page about what ran",
    description:
        "Writes one file of HTML that needs no other file: when ranks joined, which jobs ran where, the queue and the use " +
        "of cores, and what failed. It says what isn't known any more. --json prints the same as data.",
    group: CLUSTERS,
    takesCluster: true,
    options: [
        {
            name: "output",
            short: "o",
            value: "FILE",
            help: "file that is written (default: NAME.html, or NAME-2.html and so on); - is standard output",
            completes: "file",
        },
    ],
    examples: [
        ["report lammps -o report.html", "a page about the cluster lammps"],
        ["report lammps --json", "the same as data"],
    ],
    load: async () => (await import("./action.js")).report,
};
