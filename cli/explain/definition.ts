import { type CommandDefinition, JOBS } from "../definition/command";

export const explain: CommandDefinition = {
    name: "explain",
    summary: "say why a job waits, or why it failed",
    description:
        "Says in sentences why a job waits (dependencies, a stopped queue, resources and the jobs that hold them), " +
        "or how it has ended, with the last lines of its output.",
    group: JOBS,
    takesCluster: true,
    words: { usage: "JOB", least: 1, most: 1, completes: "job" },
    examples: [["explain lammps f26Zqx", "why the job f26Zqx waits or has failed"]],
    load: async () => (await import("./action.js")).explain,
};
