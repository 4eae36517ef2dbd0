import type { CoreV1Event, V1Pod, V1PodSpec, V1PodStatus } from "@kubernetes/client-node";

import { makePod, onNoNode } from "../states";

/** Why a pod doesn't start, as Kubernetes shows it. */
export interface Cause {
    /** A row of docs/troubleshooting.md. */
    readonly cause: string;
    /** Undefined if the API server refuses the pod. */
    readonly pod?: V1Pod;
    readonly events?: readonly CoreV1Event[];
    /** The argument that limits the wait; undefined if the update fails at once. */
    readonly limit?: "imagePull" | "podCreation" | "podStart" | "unschedulable";
}

/** The one pod of all causes. */
export const POD = "NAME-0";

function podWith(status: V1PodStatus, spec: Partial<V1PodSpec> = {}): V1Pod {
    const pod = makePod(0, { phase: "Pending", ...status }, { ...makePod(0).metadata, name: POD });
    return { ...pod, spec: { ...pod.spec!, nodeName: "node-1", ...spec } };
}

/** A pod that has no node yet. */
export function withoutNode(status: V1PodStatus = {}, spec: Partial<V1PodSpec> = {}): V1Pod {
    const pod = onNoNode(podWith({ startTime: undefined, ...status }));
    return { ...pod, spec: { ...pod.spec!, ...spec } };
}

/** A pod for which the scheduler finds no node. */
export function unschedulable(message: string, spec: Partial<V1PodSpec> = {}): V1Pod {
    return withoutNode(
        { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] },
        spec,
    );
}

/** A pod that its kubelet prepares. */
export function preparing(status: V1PodStatus = {}): V1Pod {
    return podWith({
        conditions: [
            { type: "PodReadyToStartContainers", status: "False" },
            { type: "PodScheduled", status: "True" },
        ],
        containerStatuses: [statusWith("ContainerCreating", "")],
        ...status,
    });
}

/** A pod with a container that can't start. */
export function waiting(reason: string, message = ""): V1Pod {
    return preparing({
        conditions: [
            { type: "PodReadyToStartContainers", status: "True", lastTransitionTime: new Date("2026-01-01T00:00:02Z") },
        ],
        containerStatuses: [statusWith(reason, message)],
    });
}

/** A pod that its node has refused. */
export function refused(reason: string, message: string): V1Pod {
    return podWith({ phase: "Failed", reason, message: `Pod was rejected: ${message}` });
}

/** A warning about the pod. */
export function warning(reason: string, message: string, component = "kubelet"): CoreV1Event {
    return event({ kind: "Pod", name: POD, uid: "pod-0" }, reason, message, component);
}

/** A warning about the claim `data`. */
export function ofClaim(reason: string, message: string): CoreV1Event {
    return event({ kind: "PersistentVolumeClaim", name: "data", uid: "claim" }, reason, message, "provisioner");
}

/** A refusal of the API server. */
export function notCreated(message: string): CoreV1Event[] {
    return [
        event(
            { kind: "Job", name: "NAME", uid: "job-uid" },
            "FailedCreate",
            `Error creating: ${message}`,
            "job-controller",
        ),
    ];
}

function event(involvedObject: object, reason: string, message: string, component: string): CoreV1Event {
    const lastTimestamp = new Date("2026-01-01T00:00:05Z");
    return { involvedObject, reason, message, type: "Warning", lastTimestamp, source: { component }, metadata: {} };
}

function statusWith(reason: string, message: string) {
    const state = { waiting: { reason, message } };
    return { name: "flux", image: "", imageID: "", ready: false, restartCount: 0, state };
}

export const CLAIM: Partial<V1PodSpec> = {
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
};
