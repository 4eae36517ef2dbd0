import { CLUSTERS, type CommandDefinition } from "../definition/command";

export const cp: CommandDefinition = {
    name: "cp",
    summary: "copy a file or a folder out of a pod or into it",
    description:
        "Copies a file or a folder between this machine and a pod of a cluster. A path in a pod is NAME:PATH (on the lead) or " +
        "NAME/RANK:PATH; without NAME, the cluster is that of -c or of the stack. The copy is at its place when all of it has " +
        "arrived with the right checksum, and not before. The image needs tar.",
    group: CLUSTERS,
    words: { usage: "SOURCE TARGET", least: 2, most: 2, completes: "place" },
    options: [
        {
            name: "new-pod",
            help: "copy through a new pod with the volumes of the cluster, which may have ended or sleep",
        },
    ],
    examples: [
        ["cp lammps:/data/results .", "a folder of the lead, as ./results"],
        ["cp lammps/2:/tmp/core.17 core", "a file of rank 2"],
        ["cp inputs lammps:/data", "a folder, as /data/inputs"],
        ["cp inputs/. lammps:/data/inputs", "what is in it"],
        ["cp :results.h5 .", "a file of the stack's cluster"],
        ["cp --new-pod lammps:/data/results .", "from a volume of a cluster that has ended"],
    ],
    load: async () => (await import("./action.js")).cp,
};
