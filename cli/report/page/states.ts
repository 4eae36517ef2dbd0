import type { JobState } from "../model";
import type { Key } from "./figure";

/** The colour of each state of a job. */
export const JOB_KEYS: Readonly<Record<JobState, Key>> = {
    completed: { colour: "completed", meaning: "completed" },
    running: { colour: "running", meaning: "runs" },
    failed: { colour: "failed", meaning: "failed" },
    cancelled: { colour: "cancelled", meaning: "cancelled" },
    "timed out": { colour: "timed-out", meaning: "timed out" },
    waiting: { colour: "waiting", meaning: "waits in the queue" },
};

export const JOB_STATES = Object.keys(JOB_KEYS) as JobState[];

/** The colour of each step of a pod's life. */
export const POD_KEYS = {
    unscheduled: { colour: "step-1", meaning: "waits for a node" },
    starting: { colour: "step-2", meaning: "pulls its image and starts" },
    joining: { colour: "step-3", meaning: "joins the cluster" },
    // The pod has ended, and nobody has told when its rank joined.
    unknown: { colour: "waiting", meaning: "runs; it isn't known when it joined" },
    member: { colour: "member", meaning: "in the cluster" },
} as const satisfies Record<string, Key>;

export type PodStep = keyof typeof POD_KEYS;
export const POD_STEPS = Object.keys(POD_KEYS) as PodStep[];
