import type { CommandDefinition } from "../definition";
import { JOBS } from "./groups";

export const jobs: CommandDefinition = {
    name: "jobs",
    summary: "list the jobs that Flux knows",
    group: JOBS,
    takesCluster: true,
    examples: [
        ["jobs", "all jobs, the newest first"],
        ["jobs lammps --json", "for a program"],
    ],
    load: async () => (await import("../actions/jobs.js")).jobs,
};
