import type { Input, Unwrap } from "@pulumi/pulumi";

import { POD_START, type TimeoutsSpec } from "../../../provider/contract/timeoutsSpec";
import { lazily } from "../../parts/lazily";
import { validateAtLeast } from "../../rules/atLeast";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

/** What an update waits for. */
export const WaitFor = {
    /** The lead has its quorum. In a persistent cluster, `size` ranks have joined too. */
    Ready: "ready",
    /** The command has ended. */
    Completed: "completed",
    /** The Job exists. */
    None: "none",
} as const;

export type WaitFor = (typeof WaitFor)[keyof typeof WaitFor];

export declare namespace WaitFor {
    export type Ready = "ready";
    export type Completed = "completed";
    export type None = "none";
}

/** What an update does if it would end a running command or running jobs. */
export const Interrupt = {
    /** The update fails before it changes anything. */
    Refuse: "refuse",
    /** The update ends the command, or the jobs. */
    Allow: "allow",
} as const;

export type Interrupt = (typeof Interrupt)[keyof typeof Interrupt];

export declare namespace Interrupt {
    export type Refuse = "refuse";
    export type Allow = "allow";
}

/** Timeouts of an update in seconds. */
export interface TimeoutsArgs {
    /**
     * Seconds to wait until all ranks have joined. They count from the moment at which the Job may start (its creation,
     * a resume, the admission by its queue), a rank was lost, or the update began.
     * @default 1800
     */
    ready?: Input<number>;
    /** Seconds from the Job's start, or its last resume or admission, to the command's end. @default no limit */
    completed?: Input<number>;
    /** Seconds to wait for a node that can take a pod. @default 900 */
    unschedulable?: Input<number>;
    /** Seconds to wait for an image that can't be pulled. @default 120 */
    imagePull?: Input<number>;
    /**
     * Seconds to wait for pods that can't start until a user changes the arguments, the image or a rule of the cluster: the
     * API server refuses them, or the image doesn't have their program.
     * @default 30
     */
    podCreation?: Input<number>;
    /**
     * Seconds to wait for pods that can't start, but may start later: an object that they name doesn't exist yet, a volume
     * isn't attached yet, or the network isn't ready.
     * @default 600
     */
    podStart?: Input<number>;
    /** Seconds to wait until the pods of a deleted Job are gone. @default 300 */
    delete?: Input<number>;
}

/** What an update shows of an output while it waits, and what the output `output` keeps of it. */
export interface OutputArgs {
    /** Bytes that are kept, counted from the end of the log. 0 keeps nothing. @default 16384 */
    maxBytes?: Input<number>;
    /** Encrypt the output in the stack's state, and show none of it in an error. @default false */
    secret?: boolean;
    /**
     * Print all lines while an update waits for the end, not only the last one on the resource's row. An
     * update prints at most 50 lines per second on average, and after 20,000 lines one per second; it says how many it has left
     * out.
     * @default false
     */
    stream?: boolean;
}

export interface UpdateArguments {
    /** What an update waits for. @default WaitFor.Completed with a command, else WaitFor.Ready */
    waitFor?: Input<WaitFor>;
    /** How long an update waits before it fails. @default see its fields */
    timeouts?: Input<TimeoutsArgs>;
    /** What an update shows of the lead's log, and how much of it the output `output` keeps. @default see its fields */
    output?: OutputArgs;
    /** Values: when one changes, the Job is run again. @default none */
    triggers?: Input<any[]>;
    /** If the Job has failed, run it again with the next update. @default true */
    rerunFailed?: Input<boolean>;
    /**
     * What an update does if it would end a running command, or running Flux jobs of a persistent cluster. Such an update
     * replaces the Job (also by `--replace` or a taint) or its lead Service, drops the cluster from the program, suspends
     * the Job, lowers `size` (below a rank of a running job), or sets an `activeDeadlineSeconds` that is over or a
     * `backoffLimit` below the failures so far. A `pulumi destroy` always ends them. Without the right to run commands in
     * pods, an update doesn't know the Flux jobs, says so in the preview, and goes on.
     * @default Interrupt.Refuse
     */
    interrupt?: Input<Interrupt>;
}

export interface Decided {
    readonly waitFor: WaitFor;
    readonly timeouts: TimeoutsSpec;
    readonly output: { readonly maxBytes: number; readonly secret: boolean; readonly stream: boolean };
    readonly rerunFailed: boolean;
    readonly interrupt: Interrupt;
}

const TIMEOUTS: TimeoutsSpec = {
    ready: 1800,
    completed: undefined,
    unschedulable: 900,
    imagePull: 120,
    podCreation: 30,
    podStart: POD_START,
    delete: 300,
};

function decideTimeouts(args: Unwrap<UpdateArguments>): TimeoutsSpec {
    const names = Object.keys(TIMEOUTS) as (keyof TimeoutsSpec)[];
    const entries = names.map((name) => [name, () => args.timeouts?.[name] ?? TIMEOUTS[name]]);
    return lazily<TimeoutsSpec>(Object.fromEntries(entries));
}

export const update: Feature<UpdateArguments, Decided> = {
    decide: (args, basis) =>
        lazily<Decided>({
            waitFor: () => args.waitFor ?? (basis.mode === "ephemeral" ? WaitFor.Completed : WaitFor.Ready),
            timeouts: () => decideTimeouts(args),
            output: () => ({
                maxBytes: args.output?.maxBytes ?? 16384,
                secret: args.output?.secret ?? false,
                stream: args.output?.stream ?? false,
            }),
            rerunFailed: () => args.rerunFailed ?? true,
            interrupt: () => args.interrupt ?? Interrupt.Refuse,
        }),

    problems: (spec) => [
        ...validateWait(spec),
        ...validateStream(spec.output),
        ...validateAtLeast([
            ["output.maxBytes", spec.output.maxBytes, 0],
            ...Object.entries(spec.timeouts).map(([name, value]): [string, number, number] => [
                `timeouts.${name}`,
                value,
                1,
            ]),
        ]),
    ],

    jobInputs: {
        rerunFailed: (spec) => spec.rerunFailed,
        interrupt: (spec) => spec.interrupt,
        deleteTimeout: (spec) => spec.timeouts.delete,
    },

    statusInputs: {
        waitFor: (spec) => spec.waitFor,
        timeouts: (spec) => spec.timeouts,
        maxBytes: (spec) => spec.output.maxBytes,
    },
};

function validateWait({ mode, waitFor }: MiniClusterSpec): Problem[] {
    const reason = `is "completed", but a persistent cluster never completes. Use "ready", or give a command.`;
    return mode === "persistent" && waitFor === WaitFor.Completed ? [{ property: "waitFor", reason }] : [];
}

/** Refuses to print an output that is a secret. Also for FluxJob. */
export function validateStream({
    secret,
    stream,
}: {
    readonly secret?: boolean;
    readonly stream?: boolean;
}): Problem[] {
    const reason = "is true, but output.secret keeps the output out of messages. Remove one of them.";
    return secret && stream ? [{ property: "output.stream", reason }] : [];
}
