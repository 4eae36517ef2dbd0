import type { V1PodTemplateSpec } from "@kubernetes/client-node";

/** The pods that an update is to start. */
export interface Wish {
    readonly name: string;
    readonly namespace: string;
    readonly template: V1PodTemplateSpec;
    /** Number of pods to start, and of those that the Job has already and keeps. */
    readonly added: number;
    readonly kept: number;
    /** Number of pods without which the cluster doesn't start. */
    readonly least: number;
    /** The queue of Kueue that decides when the Job starts. */
    readonly queue?: string;
    /** The least number of pods with which this queue may start the Job, if that isn't all of them. */
    readonly leastInQueue?: number;
    /** The pods of the same Job that the update removes before. */
    readonly removed?: { readonly template: V1PodTemplateSpec; readonly count: number };
}
