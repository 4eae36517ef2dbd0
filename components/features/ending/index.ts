import type { Input } from "@pulumi/pulumi";

import type { Json, KubernetesObject } from "../../../provider/contract/object";
import { hasPreStop, preStopOf } from "../../parts/fluxContainer";
import { lazily } from "../../parts/lazily";
import { SCRIPTS_DIR } from "../../parts/paths";
import { type AttemptsGiven, decideAttempts, givesNotice } from "../attempts";
import { scriptsIn } from "../../parts/scripts";
import type { Parameters } from "../../parts/variables";
import { validateAtLeast } from "../../rules/atLeast";
import type { Problem } from "../../rules/problem";
import type { Basis, Decide, MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";

export interface EndingArguments {
    /**
     * Seconds that the running jobs of a persistent cluster get to end by themselves before the cluster, or one of its
     * ranks, is removed (`pulumi destroy`, a smaller `size`, eviction). No new job starts meanwhile. Jobs that still
     * run then are cancelled.
     * @default 0: they are cancelled at once
     */
    drainTimeout?: Input<number>;
    /**
     * Seconds that a pod gets for an orderly end. A preStop hook of your own (`podTemplate`) has what the cluster's own
     * end leaves: by default 30 s, as in Kubernetes.
     * @default 10 with a command, else 20; plus `drainTimeout`; plus 10 with `archive`; 20 plus the seconds of
     * `checkpoint` if the command gets a notice or may start again; plus 30 with a preStop hook of your own
     */
    terminationGracePeriodSeconds?: Input<number>;
}

export interface Decided extends Decide<EndingArguments, keyof EndingArguments> {
    /** The user's own preStop hook of the Flux container, from `podTemplate`. */
    readonly preStop?: KubernetesObject;
}

type Given = EndingArguments & AttemptsGiven & { archive?: object; podTemplate?: KubernetesObject };

export const ending: Feature<Given, Decided> = {
    decide: (args, { mode }) =>
        lazily<Decided>({
            drainTimeout: () => args.drainTimeout ?? 0,
            terminationGracePeriodSeconds: () =>
                args.terminationGracePeriodSeconds ??
                endOf(mode, args) +
                    (args.drainTimeout ?? 0) +
                    (args.archive === undefined ? 0 : SECONDS.archive) +
                    (hasPreStop(args.podTemplate) ? SECONDS.hook : 0),
            preStop: () => preStopOf(args.podTemplate),
        }),

    problems: (spec) => [
        ...validateAtLeast([
            ["drainTimeout", spec.drainTimeout, 0],
            ["terminationGracePeriodSeconds", spec.terminationGracePeriodSeconds, 0],
        ]),
        ...validateMode(spec),
        ...validateTimes(spec),
        ...validateHook(spec),
    ],

    pod: ({ terminationGracePeriodSeconds }) => ({ terminationGracePeriodSeconds }),
    container: (spec) => {
        const preStop = hookOf(spec);
        return preStop === undefined ? undefined : { lifecycle: { preStop } };
    },

    ...when((spec) => leavesInOrder(spec) && spec, {
        files: ({ mode }) => ({
            ...scriptsIn(__dirname, "ask.sh", "leave.sh", "rescue.sh"),
            ...(mode === "persistent" ? scriptsIn(__dirname, "drain.sh") : {}),
        }),
    }),

    parameters: (spec) => ({ ...(leavesInOrder(spec) ? timesOfLeaving(spec) : {}), taskSeconds: ownTaskSeconds(spec) }),
};

function timesOfLeaving(spec: MiniClusterSpec): Parameters {
    return {
        drainTimeout: spec.drainTimeout === 0 ? undefined : String(spec.drainTimeout),
        leaveSeconds: String(leaveSeconds(spec)),
    };
}

function ownTaskSeconds(spec: MiniClusterSpec): string | undefined {
    const seconds = taskSeconds(spec);
    return spec.mode === "persistent" || seconds === TASK_SECONDS ? undefined : String(seconds);
}

/** True if a pod tells Flux that it leaves, before it ends. */
function leavesInOrder(spec: MiniClusterSpec): boolean {
    return spec.mode === "persistent" || givesNotice(spec);
}

/** Share of an end's own seconds in which the running jobs are cancelled. Then the broker ends. */
const CANCELLING = 0.6;

/**
 * Seconds of a pod's preStop hook: the time of the running jobs, and a part of the rest of the grace period. A cancelled
 * task has 5 s until Flux kills it.
 */
function leaveSeconds(spec: MiniClusterSpec): number {
    return jobSeconds(spec) + cancelSeconds(ownSeconds(spec));
}

/**
 * Seconds that the tasks of a follower get which ends them without Flux (stop_tasks): what the cluster's end leaves. A
 * short grace period leaves it 3 s.
 */
function taskSeconds(spec: MiniClusterSpec): number {
    const own = ownSeconds(spec);
    const rest = leavesInOrder(spec) ? own - cancelSeconds(own) : own;
    return Math.max(1, rest - 5, Math.min(TASK_SECONDS, rest - 3));
}

/** As in Flux: flux-config-exec(5), kill-timeout. */
const TASK_SECONDS = 5;

function cancelSeconds(own: number): number {
    return Math.max(1, Math.ceil(own * CANCELLING));
}

function jobSeconds({ checkpoint, drainTimeout }: MiniClusterSpec): number {
    return drainTimeout + (checkpoint?.seconds ?? 0);
}

/** Seconds for the cluster's own end. A hook of the user has all that the cluster doesn't need by default. */
function ownSeconds(spec: MiniClusterSpec): number {
    const { archive, podTemplate, preStop, terminationGracePeriodSeconds: grace } = spec;
    const rest = grace - jobSeconds(spec) - (archive === undefined ? 0 : SECONDS.archive);
    const most = leavesInOrder(spec) ? SECONDS.persistent : SECONDS.ephemeral;
    return preStop !== undefined || hasPreStop(podTemplate) ? Math.min(rest, most) : rest;
}

/**
 * Default grace periods in seconds. A persistent cluster gets more, because it first cancels its jobs, which may take
 * 12 s (leave.sh). A cluster with `archive`, or with a preStop hook of the user, gets their seconds in addition.
 * @see https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/
 */
const SECONDS: Readonly<Record<Basis["mode"] | "archive" | "hook", number>> = {
    ephemeral: 10,
    persistent: 20,
    archive: 10,
    // The whole grace period of Kubernetes, for which hooks are written.
    hook: 30,
};

/** A command that gets a notice is ended as the jobs of a persistent cluster are (notice.sh). */
function endOf(mode: Basis["mode"], given: AttemptsGiven): number {
    const attempts = decideAttempts(given);
    return givesNotice(attempts) ? SECONDS.persistent + (attempts.checkpoint?.seconds ?? 0) : SECONDS[mode];
}

const LEAVE = ["/bin/sh", `${SCRIPTS_DIR}/leave.sh`];

/** A pod has one preStop hook. The command of the user's hook follows the cluster's own. */
function hookOf(spec: MiniClusterSpec): KubernetesObject | undefined {
    const { preStop } = spec;
    return leavesInOrder(spec) ? { exec: { command: [...LEAVE, ...(preStop?.exec?.command ?? [])] } } : preStop;
}

function validateHook(spec: MiniClusterSpec): Problem[] {
    const { preStop } = spec;
    const words: Json = preStop?.exec?.command;
    if (preStop === undefined || !leavesInOrder(spec) || (Array.isArray(words) && words.length > 0)) {
        return [];
    }
    const property = "podTemplate.spec.containers[flux].lifecycle.preStop";
    const own = `the cluster's own (${LEAVE.join(" ")}), by which Flux ends the jobs of a pod that leaves`;
    const reason = `is ${JSON.stringify(preStop)}, but a container has one preStop hook, and it is ${own}.`;
    return [{ property, reason: `${reason} Give exec.command, which runs after it, or remove preStop.` }];
}

function validateMode({ drainTimeout, mode }: MiniClusterSpec): Problem[] {
    const reason = "is given, but an ephemeral cluster ends with its command. Remove drainTimeout or command.";
    return mode === "persistent" || drainTimeout === 0 ? [] : [{ property: "drainTimeout", reason }];
}

function validateTimes({ drainTimeout, terminationGracePeriodSeconds: grace, timeouts }: MiniClusterSpec): Problem[] {
    if (drainTimeout <= 0) {
        return [];
    }
    const problems: Problem[] = [];
    if (grace <= drainTimeout) {
        const reason = `is ${grace}; it must be above drainTimeout ${drainTimeout}, because the end itself takes time too.`;
        const cure = "Raise it, or leave it out.";
        problems.push({ property: "terminationGracePeriodSeconds", reason: `${reason} ${cure}` });
    }
    if (timeouts.delete <= grace) {
        const reason = `is ${timeouts.delete}, but a pod may take ${grace} seconds to end.`;
        const cure = "Raise it above that, or lower drainTimeout.";
        problems.push({ property: "timeouts.delete", reason: `${reason} ${cure}` });
    }
    return problems;
}
