import { RUN_OPTION_NAMES, RUN_OPTIONS, type RunOptions } from "../../provider/contract/runOptions";
import { type CommandDefinition, JOBS, type OptionDefinition, optionOf } from "../definition/command";

/** Letters of `flux run` that mean the same here; -c selects the cluster, as everywhere. */
const LETTERS = ["N", "n", "g", "q", "x", "o"];

const RUN = "Options of Flux:";

const HELP: Readonly<Record<keyof RunOptions, readonly [value: string, help: string]>> = {
    nodes: ["N", "number of nodes"],
    tasks: ["N", "number of tasks"],
    tasksPerNode: ["N", "tasks on each node, which the job gets whole"],
    coresPerTask: ["N", "cores of each task"],
    gpusPerTask: ["N", "GPUs of each task"],
    timeLimit: ["SECONDS", "end the job after this time"],
    signal: ["NAME@SECONDS", "send a signal before the time limit"],
    fluxQueue: ["NAME", "queue of Flux"],
    urgency: ["N", "from 0 to 31; 0 holds the job"],
    requires: ["CONSTRAINT", "the nodes, such as rank:0-3"],
    inputFile: ["FILE", "file in the pods for standard input"],
    outputFile: ["FILE", "file in the pods for standard output"],
    errorFile: ["FILE", "file in the pods for standard error"],
    exclusive: ["", "whole nodes"],
    shellOptions: ["NAME[=VALUE]", "option of Flux' job shell"],
};

/** The run options on the command line: the names of the arguments of a FluxJob, in lower case with dashes. */
const OF_RUN = RUN_OPTION_NAMES.map((name): OptionDefinition => {
    const { kind, short } = RUN_OPTIONS[name];
    const [value, help] = HELP[name];
    return {
        name: optionOf(name),
        short: short !== undefined && LETTERS.includes(short) ? short : undefined,
        value: value || undefined,
        repeats: kind === "settings",
        help,
        group: RUN,
        completes: "nothing",
    };
});

export const submit: CommandDefinition = {
    name: "submit",
    alias: "run",
    summary: "run a job, show its output and exit with its exit code",
    description:
        "Runs a job; submit and run are the same command. Options stand before COMMAND, whose words are not changed. " +
        "The first Ctrl-C cancels the job, the second one doesn't wait for its end.",
    group: JOBS,
    words: { usage: "[--] COMMAND [WORD...]", least: 1, most: Infinity, isCommand: true, completes: "nothing" },
    options: [
        ...OF_RUN,
        { name: "env", value: "NAME=VALUE", repeats: true, help: "environment variable" },
        { name: "cwd", value: "FOLDER", help: "working directory in the pods" },
        { name: "job-name", value: "NAME", help: "name of the job (default: that of the program)" },
        { name: "detach", help: "print the job's id, and don't wait for the job's end" },
    ],
    examples: [
        ["submit -c lammps -N 2 -n 8 -- lmp -in in.reaxc", "8 tasks on 2 nodes"],
        ["submit --detach ./solve", "prints the job's id"],
    ],
    load: async () => (await import("./action.js")).submit,
};
