import { type CommandDefinition, JOBS } from "../definition/command";

export const cancel: CommandDefinition = {
    name: "cancel",
    summary: "cancel jobs",
    description: "Cancels jobs that wait or run. Flux ends the tasks of a job with SIGTERM, and kills them 5 s later.",
    group: JOBS,
    takesCluster: true,
    words: { usage: "JOB...", least: 1, most: Infinity, completes: "job" },
    examples: [["cancel lammps f26Zqx f26Zqy", "cancels two jobs"]],
    load: async () => (await import("./action.js")).cancel,
};
