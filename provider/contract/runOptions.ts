/** When Flux sends a signal to a job. */
export interface SignalOption {
    /** Name of the signal, with or without SIG. */
    readonly name?: string;
    /** Seconds before the time limit. */
    readonly timeLeft?: number;
}

/** How Flux runs a command. The names are those of the arguments of MiniCluster and FluxJob. */
export interface RunOptions {
    readonly nodes?: number;
    readonly tasks?: number;
    readonly tasksPerNode?: number;
    readonly coresPerTask?: number;
    readonly gpusPerTask?: number;
    readonly exclusive?: boolean;
    /** Seconds. */
    readonly timeLimit?: number;
    readonly signal?: SignalOption;
    readonly fluxQueue?: string;
    readonly urgency?: number;
    /** A constraint in the syntax of RFC 35. */
    readonly requires?: string;
    readonly shellOptions?: Readonly<Record<string, string>>;
    readonly inputFile?: string;
    readonly outputFile?: string;
    readonly errorFile?: string;
}

type Name = keyof RunOptions;

/** How an option of RunOptions is given to `flux run` and `flux submit`. */
export interface RunOption {
    /** Its name there, without dashes. */
    readonly flag: string;
    /** Its short name there. */
    readonly short?: string;
    readonly kind: "number" | "seconds" | "settings" | "signal" | "switch" | "text";
    /** Smallest number. */
    readonly least?: number;
}

/** Each option once; the compiler refuses a table that misses one. */
export const RUN_OPTIONS: Readonly<Record<Name, RunOption>> = {
    nodes: { flag: "nodes", short: "N", kind: "number", least: 1 },
    tasks: { flag: "ntasks", short: "n", kind: "number", least: 1 },
    tasksPerNode: { flag: "tasks-per-node", kind: "number", least: 1 },
    coresPerTask: { flag: "cores-per-task", short: "c", kind: "number", least: 1 },
    gpusPerTask: { flag: "gpus-per-task", short: "g", kind: "number", least: 0 },
    timeLimit: { flag: "time-limit", short: "t", kind: "seconds", least: 1 },
    signal: { flag: "signal", kind: "signal" },
    fluxQueue: { flag: "queue", short: "q", kind: "text" },
    urgency: { flag: "urgency", kind: "number", least: 0 },
    requires: { flag: "requires", kind: "text" },
    inputFile: { flag: "input", kind: "text" },
    outputFile: { flag: "output", kind: "text" },
    errorFile: { flag: "error", kind: "text" },
    exclusive: { flag: "exclusive", short: "x", kind: "switch" },
    shellOptions: { flag: "setopt", short: "o", kind: "settings" },
};

/** The names of all options. */
export const RUN_OPTION_NAMES = Object.keys(RUN_OPTIONS) as Name[];

/** The options among other arguments or inputs. Options that aren't given are undefined. */
export function runOptionsOf<Of extends { readonly [Option in Name]?: unknown }>(of: Of): Pick<Of, Name & keyof Of> {
    return Object.fromEntries(RUN_OPTION_NAMES.map((name) => [name, of[name]])) as Pick<Of, Name & keyof Of>;
}

/** Default of `signal.name`: that of Flux. */
export const SIGNAL_NAME = "USR1";
/** Default of `signal.timeLeft` in seconds: that of Flux. */
export const SIGNAL_TIME_LEFT = 60;

/**
 * The options as words for `flux run` and `flux submit`.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-submit.html
 */
export function runOptionWords(options: RunOptions): string[] {
    return RUN_OPTION_NAMES.flatMap((name) => {
        const value = options[name] ?? undefined;
        return value === undefined ? [] : wordsOf(RUN_OPTIONS[name], value);
    });
}

function wordsOf({ flag, kind }: RunOption, value: NonNullable<RunOptions[Name]>): string[] {
    switch (kind) {
        case "number":
        case "text":
            return [`--${flag}=${String(value)}`];
        case "seconds":
            return [`--${flag}=${String(value)}s`];
        case "signal":
            return [`--${flag}=${signalWord(value as SignalOption)}`];
        case "switch":
            return value === true ? [`--${flag}`] : [];
        case "settings":
            return Object.entries(value)
                .sort(([one], [other]) => (one < other ? -1 : 1))
                .map(([name, setting]) => `--${flag}=${name}=${String(setting)}`);
    }
}

function signalWord({ name = SIGNAL_NAME, timeLeft = SIGNAL_TIME_LEFT }: SignalOption): string {
    return `${name}@${timeLeft}s`;
}
