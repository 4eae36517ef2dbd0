import type { V1ContainerStatus, V1Pod, V1PodSpec, V1PodStatus } from "@kubernetes/client-node";

import { FAILURES, INDEX_LABEL, REMOVALS } from "../../contract/labels";
import { FLUX_CONTAINER } from "../../contract/names";
import { type Message, readMessage } from "./marks";
import { silentSince } from "./nodeSilence";

/** The facts about a pod that the rules use. */
export interface Pod {
    readonly rank: number;
    readonly name: string;
    readonly uid: string;
    readonly node?: string;
    /** Milliseconds since 1970, like all times here. */
    readonly createdAt: number;
    readonly scheduledAt?: number;
    readonly startedAt?: number;
    readonly readyAt?: number;
    /** When its container ended. */
    readonly endedAt?: number;
    /** The image of its container, as its node names it. */
    readonly image?: string;
    readonly phase: string;
    readonly deleting: boolean;
    /** When a pod that is being deleted has to have ended. */
    readonly endsBy?: number;
    /** Since when its node doesn't answer: see `silentSince`. */
    readonly silentSince?: number;
    /** Since when its volumes are mounted and its network is up, so that its containers can start. */
    readonly sandboxAt?: number;
    /** Since when its status says that they aren't. */
    readonly noSandboxAt?: number;
    /** The gates of `spec.schedulingGates`, which keep it from every scheduler. */
    readonly gates?: readonly string[];
    /** The scheduler's reason and message if the pod can't be scheduled; both may be empty. */
    readonly unschedulable?: { readonly reason: string; readonly message: string };
    /** True if the scheduler, or the kubelet of the pod's node, has written nothing into its status yet. */
    readonly unseen?: true;
    /** The name of its scheduler. */
    readonly scheduler?: string;
    /** The PodGroup with which its scheduler places it. */
    readonly group?: string;
    /** Names of the claims of its volumes. */
    readonly claims?: readonly string[];
    /** Why its node has refused it: then its containers never start. */
    readonly refused?: { readonly reason: string; readonly message: string };
    /** Why a container isn't running yet. */
    readonly waiting?: { readonly reason: string; readonly message: string };
    /** True if its rank stays out of the cluster: its startup probe has succeeded, but its readiness probe, joined.sh, hasn't. */
    readonly staysOut?: true;
    readonly terminated?: Termination;
    /** True if all containers except sidecars have ended with exit code 0. */
    readonly succeeded: boolean;
    /** How many earlier pods of this rank have ended. Kubernetes counts them only for a command that may start again. */
    readonly replaced?: number;
    /** Why Kubernetes removed the pod: it was evicted or preempted, or its node was lost. */
    readonly disrupted?: string;
}

export interface Termination extends Message {
    readonly exitCode: number;
    /** Kubernetes' reason, for example `OOMKilled`. */
    readonly reason: string;
    /** The init container that has failed; undefined if the broker's container has ended. */
    readonly init?: string;
}

/**
 * The condition Ready isn't enough: Kubernetes keeps it on a pod that is being deleted until its containers have ended.
 */
export function isReady({ deleting, readyAt, terminated }: Pod): boolean {
    return readyAt !== undefined && terminated === undefined && !deleting;
}

export function summarize(pod: V1Pod): Pod {
    const { spec, status = {} } = pod;
    const flux = status.containerStatuses?.find(({ name }) => name === FLUX_CONTAINER);
    const { init, sidecars } = initStatuses(pod);
    return {
        ...identity(pod),
        node: spec?.nodeName,
        scheduledAt: trueSince(status, "PodScheduled"),
        ...runOf(flux),
        readyAt: trueSince(status, "Ready"),
        silentSince: time(silentSince(pod)),
        phase: status.phase ?? "Pending",
        sandboxAt: trueSince(status, "PodReadyToStartContainers"),
        noSandboxAt: hasSince(status, "PodReadyToStartContainers", "False"),
        ...scheduling(pod),
        waiting: waiting(init) ?? waiting(sidecars.filter(isNew)) ?? waiting(status.containerStatuses),
        staysOut: staysOut(spec, flux),
        terminated: ended(init) ?? (flux === undefined ? undefined : termination(flux)),
        succeeded: status.phase === "Succeeded" || haveSucceeded(status.containerStatuses),
        disrupted: disruption(pod),
        refused: refusal(pod),
    };
}

/**
 * Statuses of init containers, which must succeed, and of native sidecars, which are restarted and whose ends don't
 * count.
 */
function initStatuses({ spec, status }: V1Pod): { init: V1ContainerStatus[]; sidecars: V1ContainerStatus[] } {
    const again = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
    const names = new Set(again.map(({ name }) => name));
    const all = status?.initContainerStatuses ?? [];
    return { init: all.filter(({ name }) => !names.has(name)), sidecars: all.filter(({ name }) => names.has(name)) };
}

/** True for a container that was never restarted: it doesn't wait because of its own end. */
function isNew({ restartCount }: V1ContainerStatus): boolean {
    return restartCount === 0;
}

function staysOut(spec: V1PodSpec | undefined, flux: V1ContainerStatus | undefined): true | undefined {
    const isOut = flux?.state?.running !== undefined && flux.started === true && !flux.ready;
    return isOut && asksIfJoined(spec) ? true : undefined;
}

/** A readiness probe of the user tells nothing about the cluster. */
function asksIfJoined(spec: V1PodSpec | undefined): boolean {
    const container = spec?.containers?.find(({ name }) => name === FLUX_CONTAINER);
    return (container?.readinessProbe?.exec?.command ?? []).some((word) => word.endsWith("/joined.sh"));
}

function haveSucceeded(statuses: V1ContainerStatus[] = []): boolean {
    return statuses.length > 0 && statuses.every(({ state }) => state?.terminated?.exitCode === 0);
}

function identity({ metadata = {} }: V1Pod) {
    const { annotations, creationTimestamp, deletionTimestamp, labels, name = "", uid = "" } = metadata;
    return {
        rank: Number(labels?.[INDEX_LABEL] ?? -1),
        name,
        uid,
        createdAt: time(creationTimestamp) ?? 0,
        deleting: deletionTimestamp !== undefined,
        endsBy: time(deletionTimestamp),
        replaced: replacedPods(annotations),
    };
}

function replacedPods(annotations: Readonly<Record<string, string>> = {}): number | undefined {
    const { [FAILURES]: failures, [REMOVALS]: removals = 0 } = annotations;
    return failures === undefined ? undefined : Number(failures) + Number(removals);
}

function runOf(container: V1ContainerStatus | undefined): Pick<Pod, "endedAt" | "image" | "startedAt"> {
    const { running, terminated } = container?.state ?? {};
    const startedAt = time(running?.startedAt ?? terminated?.startedAt);
    return { startedAt, endedAt: time(terminated?.finishedAt), image: container?.imageID || undefined };
}

/** Since when a condition is true; undefined if it isn't. */
function trueSince(status: V1PodStatus, wanted: string): number | undefined {
    return hasSince(status, wanted, "True");
}

function hasSince({ conditions }: V1PodStatus, wanted: string, value: string): number | undefined {
    const condition = conditions?.find(({ status, type }) => type === wanted && status === value);
    return time(condition?.lastTransitionTime);
}

type Scheduling = Pick<Pod, "claims" | "gates" | "group" | "scheduler" | "unschedulable" | "unseen">;

/** What stands between a pod and its start on a node. Schedulers have reasons of their own beside `Unschedulable`. */
function scheduling({ metadata, spec, status = {} }: V1Pod): Scheduling {
    if (spec === undefined || isPastPending(status)) {
        return {};
    }
    const { nodeName, schedulerName: scheduler = "default-scheduler", schedulingGates: gates = [] } = spec;
    if (nodeName !== undefined) {
        return { scheduler, unseen: isUnseen(status) };
    }
    if (gates.length > 0) {
        return { gates: gates.map(({ name }) => name) };
    }
    const claims = claimsOf(spec, metadata?.name ?? "");
    return { claims, group: groupOf(spec), scheduler, ...decisionIn(status) };
}

const groupOf = ({ schedulingGroup }: V1PodSpec) => schedulingGroup?.podGroupName;

const isPastPending = ({ phase = "Pending" }: V1PodStatus) => phase !== "Pending";

function decisionIn(status: V1PodStatus): Scheduling {
    const decision = status.conditions?.find(({ type }) => type === "PodScheduled");
    if (decision === undefined) {
        return { unseen: isUnseen(status) };
    }
    const { message = "", reason = "", status: isScheduled } = decision;
    return isScheduled === "True" ? {} : { unschedulable: { reason, message } };
}

/** A kubelet's first status has the start time. */
function isUnseen({ containerStatuses, startTime }: V1PodStatus): true | undefined {
    return startTime === undefined && containerStatuses === undefined ? true : undefined;
}

/** The names of the claims that a pod mounts; of an ephemeral volume, the name that Kubernetes gives its claim. */
function claimsOf({ volumes = [] }: V1PodSpec, pod: string): string[] | undefined {
    const names = volumes.flatMap(({ ephemeral, name, persistentVolumeClaim: claim }) =>
        ephemeral === undefined ? (claim?.claimName ?? []) : `${pod}-${name}`,
    );
    return names.length === 0 ? undefined : names;
}

/** The kubelet's reason for a pod that it doesn't run: such a pod fails at once, and has no containers. */
function refusal({ status = {} }: V1Pod): Pod["refused"] {
    const { containerStatuses, initContainerStatuses, message = "", phase, reason = "" } = status;
    const statuses = [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])];
    const hasRun = statuses.some(({ state }) => state?.running !== undefined || state?.terminated !== undefined);
    if (phase !== "Failed" || hasRun || reason === "" || reason === "DeadlineExceeded") {
        return undefined;
    }
    return { reason, message: message.replace(/^Pod was rejected: /, "") };
}

/** Milliseconds since 1970. The Kubernetes client returns dates in lists and texts in watches. */
function time(value: Date | string | undefined): number | undefined {
    return value === undefined || value === null ? undefined : new Date(value).getTime();
}

function waiting(statuses: V1ContainerStatus[] | undefined): Pod["waiting"] {
    const reason = statuses?.find(({ state }) => state?.waiting !== undefined)?.state?.waiting;
    return reason === undefined ? undefined : { reason: reason.reason ?? "", message: reason.message ?? "" };
}

/** The end of an init container that failed: the pod has then failed, and its other containers never start. */
function ended(statuses: V1ContainerStatus[]): Termination | undefined {
    const failed = statuses.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
    const end = failed === undefined ? undefined : termination(failed);
    return end === undefined ? undefined : { ...end, init: failed?.name };
}

function termination({ state }: V1ContainerStatus): Termination | undefined {
    const end = state?.terminated;
    if (end === undefined) {
        return undefined;
    }
    return { exitCode: end.exitCode, reason: end.reason ?? "", ...readMessage(end) };
}

function disruption({ status }: V1Pod): string | undefined {
    const condition = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
    if (condition?.status === "True") {
        return condition.message ?? condition.reason ?? "DisruptionTarget";
    }
    return status?.reason === "Evicted" ? (status.message ?? "Evicted") : undefined;
}
