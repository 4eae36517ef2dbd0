import type { V1Node, V1OwnerReference, V1Pod } from "@kubernetes/client-node";

import { type Amounts, amountsOf, isExtended, largest, sum, timesIn } from "./amounts";
import { conflict, type HostPort, hostPortsOf } from "./ports";
import { requestsOf } from "./requests";

/** A node with the pods that are on it. */
export interface Room {
    readonly node: V1Node;
    readonly pods: readonly V1Pod[];
    readonly allocatable: Amounts;
    readonly free: Amounts;
    /** How many further pods the node's kubelet accepts. */
    readonly slots: number;
    readonly ports: readonly HostPort[];
}

/** The nodes with their pods. Pods that have ended, or have no node yet, take nothing. */
export function roomsOf(nodes: readonly V1Node[], pods: readonly V1Pod[]): Room[] {
    const byNode = new Map<string, V1Pod[]>(nodes.map(({ metadata }) => [metadata?.name ?? "", []]));
    for (const pod of pods) {
        if (!hasEnded(pod)) {
            byNode.get(pod.spec?.nodeName ?? "")?.push(pod);
        }
    }
    return nodes.map((node) => roomOf(node, byNode.get(node.metadata?.name ?? "") ?? []));
}

export function roomOf(node: V1Node, pods: readonly V1Pod[]): Room {
    const allocatable = amountsOf(node.status?.allocatable);
    const taken = sum(...pods.map(({ spec, status }) => (spec === undefined ? {} : requestsOf(spec, status))));
    const free = Object.entries(allocatable).map(([name, amount]) => [name, amount - (taken[name] ?? 0)]);
    return {
        node,
        pods,
        allocatable,
        free: Object.fromEntries(free) as Amounts,
        slots: Math.max(0, (allocatable["pods"] ?? 0) - pods.length),
        ports: pods.flatMap(({ spec }) => (spec === undefined ? [] : hostPortsOf(spec))),
    };
}

function hasEnded({ status }: V1Pod): boolean {
    return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** How many pods of a kind a node takes by itself: by its resources, its slots and its ports. */
export function capacityOf(room: Room, wanted: Amounts, ports: readonly HostPort[]): number {
    if (conflict(room.ports, ports)) {
        return 0;
    }
    const most = ports.length > 0 ? 1 : Infinity;
    return Math.min(most, room.slots, timesIn(wanted, room.free));
}

/** Priorities above this one are those of Kubernetes itself. */
const HIGHEST_OF_USERS = 1_000_000_000;

/**
 * True for a pod that stays on its node: a DaemonSet, or the kubelet itself, makes it again. A Job with a priority may
 * preempt it, except if it is a part of Kubernetes.
 */
export function stays(pod: V1Pod, hasPriority: boolean): boolean {
    const owner = controllerOf(pod);
    const isOfNode = owner?.kind === "DaemonSet" || owner?.kind === "Node";
    return isOfNode && (!hasPriority || (pod.spec?.priority ?? 0) > HIGHEST_OF_USERS);
}

/** What makes a pod again when it is gone. */
export function controllerOf({ metadata }: V1Pod): V1OwnerReference | undefined {
    return metadata?.ownerReferences?.find(({ controller }) => controller);
}

/**
 * A node as it may be at best: only with pods that stay. Devices that a node has lost, as while their plugin restarts,
 * may come back; of these it is not known how many.
 */
export function atBest({ node, pods }: Room, hasPriority: boolean): Room {
    const { allocatable, capacity } = node.status ?? {};
    const devices = Object.entries(largest(amountsOf(allocatable), amountsOf(capacity)))
        .filter(([name]) => isExtended(name))
        .map(([name, amount]) => [name, amount === 0 ? Number.MAX_SAFE_INTEGER : amount] as const);
    const room = roomOf(
        node,
        pods.filter((pod) => stays(pod, hasPriority)),
    );
    return { ...room, free: { ...room.free, ...Object.fromEntries(devices) } };
}

/** Schemes of the providerIDs of local clusters, which have no autoscaler. */
const LOCAL = /^(kind|k3s):\/\//;

/** True if a cluster may get further nodes by itself: without nodes, or with those of a provider. */
export function mayGrow(nodes: readonly V1Node[]): boolean {
    const isOfProvider = ({ spec }: V1Node) => Boolean(spec?.providerID) && !LOCAL.test(spec?.providerID ?? "");
    return nodes.length === 0 || nodes.some(isOfProvider);
}
