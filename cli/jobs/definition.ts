import { type CommandDefinition, JOBS } from "../definition/command";
import { STATES } from "../fluxJob/states";

export const jobs: CommandDefinition = {
    name: "jobs",
    summary: "list the jobs that Flux knows",
    description: "Lists jobs, the newest first. The options are those of flux jobs; without one, it lists all jobs.",
    group: JOBS,
    takesCluster: true,
    options: [
        {
            name: "filter",
            value: "STATE[,STATE...]",
            help: "only jobs in these states, or with these results",
            completes: STATES,
        },
        { name: "name", value: "NAME", help: "only jobs with this name", completes: "nothing" },
        {
            name: "since",
            value: "WHEN",
            help: "no jobs that ended before, such as -1h or yesterday",
            completes: "nothing",
        },
        { name: "queue", short: "q", value: "NAME", help: "only jobs of this queue of Flux", completes: "nothing" },
        { name: "count", value: "N", help: "at most so many jobs (default: 0, all)", completes: "nothing" },
        { name: "watch", short: "w", help: "then print each job that is new or has changed, until Ctrl-C" },
    ],
    examples: [
        ["jobs", "all jobs, the newest first"],
        ["jobs lammps --filter failed --since -1h", "the jobs that failed within the last hour"],
        ["jobs lammps -w --json", "one line of JSON for each change"],
    ],
    load: async () => (await import("./action.js")).jobs,
};
