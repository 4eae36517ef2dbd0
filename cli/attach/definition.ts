import { type CommandDefinition, JOBS } from "../definition/command";

export const attach: CommandDefinition = {
    name: "attach",
    summary: "follow the output of a job and exit with its exit code",
    description:
        "Prints the whole output of a job, also of one that has ended, and follows it until the job's end. " +
        "Ctrl-C twice within 2 s cancels the job; Ctrl-C and then Ctrl-Z leaves it.",
    group: JOBS,
    takesCluster: true,
    words: { usage: "JOB", least: 1, most: 1, completes: "job" },
    examples: [["attach lammps f26Zqx", "exits with the exit code of the job f26Zqx"]],
    load: async () => (await import("./action.js")).attach,
};
