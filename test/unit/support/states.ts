import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { V1Job, V1Pod } from "@kubernetes/client-node";

import type { TimeoutsSpec } from "../../../provider/contract/timeoutsSpec";
import type { JobStatusInputs } from "../../../provider/jobStatus/properties";
import { Observation } from "../../../provider/observe/pods/observation";
import { summarize } from "../../../provider/observe/pods/pod";

/** A Job and its pods as recorded from a real API server (Kubernetes 1.36.4), in test/states/*.json. */
export interface State {
    readonly job: V1Job;
    readonly pods: V1Pod[];
}

export function readState(name: string): State {
    return JSON.parse(readFileSync(join(__dirname, "../../states", `${name}.json`), "utf8")) as State;
}

export const TIMEOUTS: TimeoutsSpec = {
    ready: 1800,
    completed: undefined,
    unschedulable: 900,
    imagePull: 120,
    podCreation: 30,
    podStart: 600,
    delete: 300,
};

export function makeStatusInputs(overrides: Partial<JobStatusInputs> = {}): JobStatusInputs {
    return {
        job: "hpc/lammps/job-uid",
        lead: { name: "lammps-lead", uid: "service-uid", address: "10.0.0.1" },
        size: 3,
        waitFor: "ready",
        ephemeral: false,
        suspend: false,
        timeouts: TIMEOUTS,
        maxBytes: 16384,
        ...overrides,
    };
}

/** When the Job of a state was created, in milliseconds since 1970. */
export function createdAt({ job }: State): number {
    return new Date(job.metadata?.creationTimestamp ?? 0).getTime();
}

/** The observation of a wait that started at the Job's creation and sees this state now. */
export function observe(state: State, now = createdAt(state)): Observation {
    const seen = new Observation(state.job.metadata?.uid ?? "", createdAt(state));
    seen.job = state.job;
    seen.jobListed = true;
    seen.podsListed = true;
    state.pods.forEach((pod) => seen.setPod(summarize(pod), now));
    return seen;
}

/** The same pod before a scheduler has found a node for it. */
export function onNoNode(pod: V1Pod): V1Pod {
    const status = { ...pod.status, startTime: undefined };
    return { ...pod, spec: { ...pod.spec, containers: [], nodeName: undefined }, status };
}

/** A pod without a cluster, for states that are hard to record. */
export function makePod(rank: number, status: V1Pod["status"] = {}, metadata: V1Pod["metadata"] = {}): V1Pod {
    return {
        metadata: {
            name: `lammps-${rank}-abcde`,
            uid: `pod-${rank}`,
            creationTimestamp: new Date("2026-01-01T00:00:00Z"),
            labels: {
                "batch.kubernetes.io/job-completion-index": String(rank),
                "batch.kubernetes.io/job-name": "lammps",
            },
            ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "lammps", uid: "job-uid" }],
            ...metadata,
        },
        spec: { nodeName: `node-${rank}`, containers: [] },
        status: { phase: "Running", startTime: new Date("2026-01-01T00:00:01Z"), ...status },
    };
}
