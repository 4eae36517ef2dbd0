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
        {
            name: "crate",
            value: "DIR",
            help: "new folder for a Process Run Crate (RO-Crate) of the run, from the stack's outputs",
            completes: "file",
        },
        { name: "license", value: "URL", help: "license of the crate", completes: "nothing" },
        {
            name: "author",
            value: "NAME",
            help: "who ran it, such as Ada <https://orcid.org/...>",
            completes: "nothing",
        },
        {
            name: "organization",
            value: "NAME",
            help: "the author's organization, such as Lab <https://ror.org/...>",
            completes: "nothing",
        },
    ],
    examples: [
        ["report lammps -o report.html", "a page about the cluster lammps"],
        ["report lammps --json", "the same as data"],
        [
            "report --crate run --license https://spdx.org/licenses/CC-BY-4.0",
            "a Process Run Crate of the run that has ended",
        ],
    ],
    load: async () => (await import("./action.js")).report,
};
