import { VARIABLE } from "../../../components/rules/patterns";

/** How mpirun, or a program like it, starts processes. */
export interface Launch {
    /** The program of the processes, with its arguments. */
    program: Word[];
    /** Number of words at its beginning that the command doesn't have, such as those of Python. */
    added?: number;
    tasks?: Word;
    perNode?: Word;
    nodes?: Word;
    coresPerTask?: Word;
    /** Seconds. */
    timeLimit?: Word;
    workingDir?: Word;
    /** True if the processes go round the nodes. */
    isCyclic?: boolean;
    readonly environment: Record<string, Word>;
    readonly shellOptions: Record<string, string>;
    /** Given if the processes find each other by variables, and not by MPI. */
    rendezvous?: { port?: Word };
}

/** What an option does. Returns what a warning says of it, if it can't be said here. */
export type Effect = (launch: Launch, ...values: Word[]) => string | undefined | void;

/** An option of a launcher. */
export interface Option {
    /** Number of words after it. */
    readonly values: number;
    readonly effect: Effect;
}

export type Options = Readonly<Record<string, Option>>;

/** One option under each of the names, which are given without dashes. */
export function options(names: string, values: number, effect: Effect): Options {
    return Object.fromEntries(names.split(" ").map((name) => [name, { values, effect }]));
}

/** What a warning says of an option that is left out. */
export const NO_COUNTERPART =
    "has no counterpart, so it is left out. docs/from-mpi-operator.md lists the arguments for hosts, places, output and variables.";

/** Options without a counterpart that have values. Those without a value need no entry. */
export function without(values: number, names: string): Options {
    return options(names, values, () => NO_COUNTERPART);
}

/** Options of which nothing is left to do. */
export function needless(names: string, values = 0): Options {
    return options(names, values, () => undefined);
}

/** Options with a number. */
export function number(names: string, field: "coresPerTask" | "nodes" | "perNode" | "tasks" | "timeLimit"): Options {
    return options(names, 1, (launch, value) => {
        if (!isNumber(value)) {
            return NO_NUMBER;
        }
        launch[field] = value;
        return undefined;
    });
}

export const NO_NUMBER = "is no whole number from 1 on. Correct it.";

/** True for a number from 1 on, and for a word that a shell has to read first. */
export function isNumber({ expands, text }: Word): boolean {
    return expands || /^[1-9]\d{0,8}$/.test(text);
}

/** Sets a variable of the processes. Returns what a warning says of a name that no shell can read. */
export function setVariable(launch: Launch, name: string, value: Word): string | undefined {
    if (!VARIABLE.test(name)) {
        return `is for the variable ${name}, a name that no shell can read. Correct it.`;
    }
    launch.environment[name] = value;
    return undefined;
}

/** The part of a word behind its first `=`. A part of a word in double quotes keeps them. */
export function behindSign(word: Word): Word {
    const cut = (text: string) => text.slice(text.indexOf("=") + 1);
    const raw = cut(word.raw);
    const isOpen = (raw.match(/"/g) ?? []).length % 2 === 1;
    return { ...word, text: cut(word.text), raw: isOpen ? `"${raw}` : raw };
}

/** A word of a command. */
export interface Word {
    /** The word without quotes; meaningless if it expands. */
    readonly text: string;
    /** The word as a shell reads it. */
    readonly raw: string;
    /** True if a shell replaces a part of it. */
    readonly expands: boolean;
    /** The place of the word in the resource. */
    readonly path: string;
}

/** The name of a program without its directory. */
export function programName(text: string): string {
    return text.slice(text.lastIndexOf("/") + 1);
}

/** Where the MPI Operator has the files for mpirun. */
const OWN_FILES = /^\/etc\/mpi\/(hostfile|discover_hosts\.sh)$/;

/** Options with hosts. Those of the operator's own file are all ranks. */
export function hostfiles(names: string): Options {
    return options(names, 1, (_, { text }) =>
        OWN_FILES.test(text) ? undefined : "names hosts. Flux takes all ranks; to choose some, give nodes or requires.",
    );
}

/** Binding to nothing, as the argument of Flux. Other bindings depend on whether the pod shares its CPUs. */
export const BINDING: Options = options("bind-to binding", 1, (launch, { text }) => {
    if (text === "none") {
        launch.shellOptions["cpu-affinity"] = "off";
        return undefined;
    }
    return `the pods decide: see docs/cpus.md. If ranks don't share nodes, give shellOptions: { "cpu-affinity": "per-task" }.`;
});

export const WORKING_DIR: Options = options("wdir wd", 1, (launch, value) => {
    launch.workingDir = value;
});
