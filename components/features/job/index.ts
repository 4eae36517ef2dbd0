import type { Input } from "@pulumi/pulumi";

import { fluxPatch, withoutPreStop } from "../../parts/fluxContainer";
import { lazily } from "../../parts/lazily";
import { validateAtLeast } from "../../rules/atLeast";
import type { Problem } from "../../rules/problem";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

export interface JobArguments {
    /**
     * Suspend the Job: its pods are ended, or not started. With `queueName`, deactivate the Workload of the Job instead
     * (`spec.active: false`).
     * @default false
     */
    suspend?: Input<boolean>;
    /** Seconds from its start after which Kubernetes ends the Job. @default none */
    activeDeadlineSeconds?: Input<number>;
    /** Seconds from its end after which Kubernetes removes the Job. @default never */
    ttlSecondsAfterFinished?: Input<number>;
    /** Number of failed pods that Kubernetes replaces before the Job fails. @default 0 with a command, else no limit */
    backoffLimit?: Input<number>;
    /**
     * Patch of the Job's pod template, for fields that no argument covers. Objects are merged, lists of named items are
     * merged by name, other lists and values are replaced, and null removes a field. The Flux container is called
     * `flux`. The command of its preStop hook runs after the cluster's own hook. Rules and defaults take a value of
     * `podTemplate` as they take the argument of the same field.
     * @default none
     */
    podTemplate?: Input<{ [name: string]: any }>;
}

export type Decided = Decide<JobArguments, "backoffLimit" | "podTemplate" | "suspend">;

/** Largest value of a Kubernetes int32 field, in practice no limit. */
const NO_LIMIT = 2147483647;

export const job: Feature<JobArguments, Decided> = {
    decide: (args, basis) =>
        lazily<Decided>({
            suspend: () => args.suspend ?? false,
            activeDeadlineSeconds: () => args.activeDeadlineSeconds,
            ttlSecondsAfterFinished: () => args.ttlSecondsAfterFinished,
            backoffLimit: () => args.backoffLimit ?? (basis.mode === "ephemeral" ? 0 : NO_LIMIT),
            podTemplate: () => withoutPreStop(args.podTemplate ?? {}),
        }),

    problems: (spec) => [
        ...validateAtLeast([
            ["backoffLimit", spec.backoffLimit, 0],
            ["activeDeadlineSeconds", spec.activeDeadlineSeconds, 1],
            ["ttlSecondsAfterFinished", spec.ttlSecondsAfterFinished, 0],
        ]),
        ...validateProgram(spec),
    ],

    job: ({ activeDeadlineSeconds, backoffLimit, queueName, suspend, ttlSecondsAfterFinished }) => ({
        backoffLimit,
        activeDeadlineSeconds,
        ttlSecondsAfterFinished,
        // Kueue resumes the Job when it admits it. A Job that isn't suspended could start before that.
        suspend: suspend || queueName !== undefined,
    }),

    statusInputs: {
        suspend: (spec) => spec.suspend,
        expires: (spec) => spec.ttlSecondsAfterFinished,
    },
};

/** Other words for the Flux container would replace the cluster's scripts, or a command that no rule has judged. */
const PROGRAM = {
    args: "is given, but the words of the argument command are there. Give command, or remove args.",
    command:
        "is given, but the cluster's own script starts the brokers. Give a script of yours in hooks, or remove command.",
} as const;

function validateProgram({ podTemplate }: MiniClusterSpec): Problem[] {
    const flux = fluxPatch(podTemplate);
    return Object.entries(PROGRAM).flatMap(([field, reason]) =>
        flux?.[field] === undefined ? [] : [{ property: `podTemplate.spec.containers[flux].${field}`, reason }],
    );
}
