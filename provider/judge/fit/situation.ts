import type { V1Pod, V1PodSpec } from "@kubernetes/client-node";

import { type Amounts, isExtended, times } from "./amounts";
import { type Bound, boundOf } from "./bounds";
import { withLimitRanges } from "./limitRanges";
import { controllerOf, mayGrow, roomsOf } from "./nodes";
import { place, type Placed } from "./placement";
import { type Allowance, allowancesOf } from "./quotas";
import { mapContainers, requestsOf, withApiDefaults } from "./requests";
import type { Replica } from "./rules";
import { CLAIMS, type Survey } from "./survey";
import { isPlacedByDefault, uncountedIn } from "./uncounted";
import type { Wish } from "./wish";

/** What is known about the pods of a wish. */
export interface Situation {
    readonly wish: Wish;
    readonly replica: Replica;
    /** Undefined without the nodes, or without the pods that are on them. */
    readonly placed?: Placed;
    /** Undefined if the nodes aren't known, or if the cluster may get others. */
    readonly bound?: Bound;
    readonly allowances: readonly Allowance[];
    /** What the pods request that the update removes before. */
    readonly freed: Amounts;
    readonly canGrow: boolean;
    readonly uncounted: readonly string[];
}

/** The spec as the API server makes pods of it. */
export function admitted(spec: V1PodSpec | undefined, { limitRanges = [] }: Survey): V1PodSpec {
    return withLimitRanges(withApiDefaults(spec ?? { containers: [] }), limitRanges);
}

export function situationOf(wish: Wish, spec: V1PodSpec, survey: Survey): Situation {
    const { quotas = [], unread } = survey;
    const { removed } = wish;
    const foreign = foreignDevices(spec, survey);
    const uncounted = unread.filter(({ what }) => what !== CLAIMS);
    const replica = replicaOf(wish, withoutResources(spec, foreign));
    const before = removed && { spec: admitted(removed.template.spec, survey), count: removed.count };
    return {
        wish,
        replica,
        canGrow: false,
        ...(isPlacedByDefault(spec) ? onNodes(wish, replica, survey) : {}),
        allowances: allowancesOf(spec, quotas, before),
        freed: before === undefined ? {} : times(requestsOf(before.spec), before.count),
        uncounted: [...uncountedIn(spec), ...foreign, ...uncounted.map(({ what }) => `${what} (not read)`)],
    };
}

function replicaOf({ name, namespace, template }: Wish, spec: V1PodSpec): Replica {
    const labels = { ...template.metadata?.labels, "batch.kubernetes.io/job-name": name, "job-name": name };
    return { namespace, labels, spec };
}

function onNodes(wish: Wish, replica: Replica, { nodes, pods }: Survey): Partial<Situation> {
    if (nodes === undefined) {
        return {};
    }
    const canGrow = mayGrow(nodes);
    const staying = (pods ?? []).filter((pod) => wish.kept > 0 || !isOf(wish, pod));
    const rooms = roomsOf(nodes, staying);
    return {
        canGrow,
        placed: pods === undefined ? undefined : place(replica, rooms, wish.added),
        bound: canGrow ? undefined : boundOf(replica, rooms),
    };
}

/**
 * Devices that no node needs to have, because a DeviceClass provides them. If the classes are unknown, these are the
 * devices that no node has.
 */
function foreignDevices(spec: V1PodSpec, { devices, nodes }: Survey): string[] {
    if (nodes === undefined) {
        return [];
    }
    const wanted = Object.keys(requestsOf(spec)).filter((name) => isExtended(name) || name.startsWith("deviceclass."));
    const isOnNode = (name: string) => nodes.some(({ status }) => status?.allocatable?.[name] !== undefined);
    return wanted.filter((name) => (devices === undefined ? !isOnNode(name) : devices.includes(name)));
}

function withoutResources(spec: V1PodSpec, names: readonly string[]): V1PodSpec {
    const rest = (amounts: Readonly<Record<string, string>> = {}) =>
        Object.fromEntries(Object.entries(amounts).filter(([name]) => !names.includes(name)));
    return names.length === 0
        ? spec
        : mapContainers(spec, (resources) => ({ ...resources, requests: rest(resources.requests) }));
}

/** True for a pod of the Job itself, which the update replaces. */
function isOf({ name, namespace }: Wish, pod: V1Pod): boolean {
    const owner = controllerOf(pod);
    return pod.metadata?.namespace === namespace && owner?.kind === "Job" && owner.name === name;
}
