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

/** Each option once; the compiler refuses a list that misses one. */
const ALL: Readonly<Record<Name, true>> = {
    nodes: true,
    tasks: true,
    tasksPerNode: true,
    coresPerTask: true,
    gpusPerTask: true,
    exclusive: true,
    timeLimit: true,
    signal: true,
    fluxQueue: true,
    urgency: true,
    requires: true,
    shellOptions: true,
    inputFile: true,
    outputFile: true,
    errorFile: true,
};

/** The names of all options. */
export const RUN_OPTIONS = Object.keys(ALL) as Name[];

/** The options among other arguments or inputs. Options that aren't given are undefined. */
export function runOptionsOf<Of extends { readonly [Option in Name]?: unknown }>(of: Of): Pick<Of, Name & keyof Of> {
    return Object.fromEntries(RUN_OPTIONS.map((name) => [name, of[name]])) as Pick<Of, Name & keyof Of>;
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
    const given: readonly (readonly [string, number | string | undefined])[] = [
        ["nodes", options.nodes],
        ["ntasks", options.tasks],
        ["tasks-per-node", options.tasksPerNode],
        ["cores-per-task", options.coresPerTask],
        ["gpus-per-task", options.gpusPerTask],
        ["time-limit", options.timeLimit && `${options.timeLimit}s`],
        ["signal", options.signal && signalWord(options.signal)],
        ["queue", options.fluxQueue],
        ["urgency", options.urgency],
        ["requires", options.requires],
        ["input", options.inputFile],
        ["output", options.outputFile],
        ["error", options.errorFile],
    ];
    const settings = Object.entries(options.shellOptions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return [
        ...given.flatMap(([name, value]) => ((value ?? undefined) === undefined ? [] : [`--${name}=${value}`])),
        ...(options.exclusive ? ["--exclusive"] : []),
        ...settings.map(([name, value]) => `--setopt=${name}=${value}`),
    ];
}

function signalWord({ name = SIGNAL_NAME, timeLeft = SIGNAL_TIME_LEFT }: SignalOption): string {
    return `${name}@${timeLeft}s`;
}
