import type { V1Pod, V1PodAffinityTerm, V1PodSpec, V1TopologySpreadConstraint } from "@kubernetes/client-node";

import { selects, untolerated } from "./admits";
import type { Room } from "./nodes";
import { type Labels, matches } from "./selectors";

/** The pods of a Job, which are all alike. */
export interface Replica {
    readonly namespace: string;
    readonly labels: Labels;
    readonly spec: V1PodSpec;
}

/** A rule about the pods beside a new one. */
export interface Rule {
    /** True if the next pod may get onto this node. */
    allows(room: Room): boolean;
    /** A pod has got onto this node. */
    add(room: Room): void;
}

/** The rules that the scheduler checks: required affinity and anti-affinity, and spread constraints that must be met. */
export function rulesOf(replica: Replica, rooms: readonly Room[]): Rule[] {
    const { affinity, topologySpreadConstraints = [] } = replica.spec;
    const apart = antiTermsOf(asPod(replica));
    const together = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const strict = topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
    return [
        ...apart.map((term) => antiAffinity(term, replica, rooms)),
        ...(together.length === 0 ? [] : [podAffinity(together, replica, rooms)]),
        ...othersAntiAffinity(replica, rooms),
        ...strict.map((constraint) => spread(constraint, strict, replica, rooms)),
    ];
}

/** The labels of nodes by which the Job's pods keep each other away. */
export function keysApart(replica: Replica): string[] {
    const own = asPod(replica);
    const terms = antiTermsOf(own).filter((term) => meant(term, replica)(own));
    return terms.map(({ topologyKey }) => topologyKey);
}

function antiTermsOf({ spec }: V1Pod): readonly V1PodAffinityTerm[] {
    return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function namespaceOf({ metadata }: V1Pod): string {
    return metadata?.namespace ?? "";
}

/** Numbers of pods by the value that their node's label has. */
class Counts {
    readonly byValue = new Map<string, number>();

    constructor(private readonly key: string) {}

    valueAt({ node }: Room): string | undefined {
        return node.metadata?.labels?.[this.key];
    }

    at(room: Room): number {
        return this.byValue.get(this.valueAt(room) ?? "") ?? 0;
    }

    add(room: Room, count: number): void {
        const value = this.valueAt(room);
        if (value !== undefined) {
            this.byValue.set(value, (this.byValue.get(value) ?? 0) + count);
        }
    }
}

function antiAffinity(term: V1PodAffinityTerm, replica: Replica, rooms: readonly Room[]): Rule {
    const counts = new Counts(term.topologyKey);
    const isMeant = meant(term, replica);
    rooms.forEach((room) => counts.add(room, room.pods.filter(isMeant).length));
    const self = isMeant(asPod(replica)) ? 1 : 0;
    return {
        allows: (room) => counts.valueAt(room) === undefined || counts.at(room) === 0,
        add: (room) => counts.add(room, self),
    };
}

/** A pod must find pods that match all terms in each of their domains, or be the first that matches its own terms. */
function podAffinity(terms: readonly V1PodAffinityTerm[], replica: Replica, rooms: readonly Room[]): Rule {
    const all = terms.map((term) => new Counts(term.topologyKey));
    const isMeant = terms.map((term) => meant(term, replica));
    const isMeantByAll = (pod: V1Pod) => isMeant.every((each) => each(pod));
    const self = isMeantByAll(asPod(replica)) ? 1 : 0;
    const add = (room: Room, count: number) => all.forEach((counts) => counts.add(room, count));
    rooms.forEach((room) => add(room, room.pods.filter(isMeantByAll).length));
    return {
        allows: (room) => {
            const hasLabels = all.every((counts) => counts.valueAt(room) !== undefined);
            const isFirst = self > 0 && all.every(({ byValue }) => [...byValue.values()].every((count) => count === 0));
            return hasLabels && (isFirst || all.every((counts) => counts.at(room) > 0));
        },
        add: (room) => add(room, self),
    };
}

/** The anti-affinity of the pods that are there. That of the Job's own pods is in `antiAffinity`. */
function othersAntiAffinity(replica: Replica, rooms: readonly Room[]): Rule[] {
    const own = asPod(replica);
    const keysAt = new Map(
        rooms.map((room) => {
            const terms = room.pods.flatMap((pod) => antiTermsOf(pod).map((term) => ({ of: namespaceOf(pod), term })));
            return [room, terms.filter(({ of, term }) => isTermFor(term, of, own)).map(({ term }) => term.topologyKey)];
        }),
    );
    return [...new Set([...keysAt.values()].flat())].map((key) => {
        const counts = new Counts(key);
        keysAt.forEach((keys, room) => counts.add(room, keys.includes(key) ? 1 : 0));
        return { allows: (room) => counts.at(room) === 0, add: () => undefined };
    });
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/ */
function spread(
    constraint: V1TopologySpreadConstraint,
    all: readonly V1TopologySpreadConstraint[],
    replica: Replica,
    rooms: readonly Room[],
): Rule {
    const { maxSkew, minDomains = 1, topologyKey } = constraint;
    const counts = new Counts(topologyKey);
    const isMeant = (pod: V1Pod) =>
        pod.metadata?.deletionTimestamp === undefined &&
        pod.metadata?.namespace === replica.namespace &&
        matchesWithKeys(constraint, replica.labels, pod.metadata?.labels ?? {});
    const isCounted = (room: Room) =>
        all.every((each) => room.node.metadata?.labels?.[each.topologyKey] !== undefined) &&
        isIncluded(constraint, replica.spec, room);
    rooms.filter(isCounted).forEach((room) => counts.add(room, room.pods.filter(isMeant).length));
    const self = isMeant(asPod(replica)) ? 1 : 0;
    return {
        allows: (room) => {
            const least = counts.byValue.size < minDomains ? 0 : Math.min(...counts.byValue.values());
            return counts.valueAt(room) !== undefined && counts.at(room) + self - least <= maxSkew;
        },
        add: (room) => {
            if (isCounted(room)) {
                counts.add(room, self);
            }
        },
    };
}

/** True if a spread constraint counts the pods of a node. */
function isIncluded({ nodeAffinityPolicy, nodeTaintsPolicy }: V1TopologySpreadConstraint, spec: V1PodSpec, room: Room) {
    return (
        (nodeAffinityPolicy === "Ignore" || selects(spec, room.node)) &&
        (nodeTaintsPolicy !== "Honor" || untolerated(spec, {}, room.node) === undefined)
    );
}

/** The pods that a term of the Job's pods means. */
function meant(term: V1PodAffinityTerm, replica: Replica): (pod: V1Pod) => boolean {
    const { labels, namespace } = replica;
    const same = (term.matchLabelKeys ?? []).filter((key) => labels[key] !== undefined);
    const others = (term.mismatchLabelKeys ?? []).filter((key) => labels[key] !== undefined);
    return (pod) =>
        isTermFor(term, namespace, pod) &&
        same.every((key) => pod.metadata?.labels?.[key] === labels[key]) &&
        others.every((key) => pod.metadata?.labels?.[key] !== labels[key]);
}

/**
 * True if a term of a pod in the namespace `of` means a pod. The labels of namespaces are not read: a selector of
 * namespaces means all of them or, by their names, some.
 */
function isTermFor(term: V1PodAffinityTerm, of: string, pod: V1Pod): boolean {
    return isInNamespaces(term, of, namespaceOf(pod)) && matches(term.labelSelector, pod.metadata?.labels ?? {});
}

function isInNamespaces({ namespaces = [], namespaceSelector }: V1PodAffinityTerm, of: string, namespace: string) {
    if (namespaces.length === 0 && namespaceSelector === undefined) {
        return namespace === of;
    }
    return namespaces.includes(namespace) || matches(namespaceSelector, { "kubernetes.io/metadata.name": namespace });
}

function matchesWithKeys({ labelSelector, matchLabelKeys = [] }: V1TopologySpreadConstraint, own: Labels, its: Labels) {
    const same = matchLabelKeys.filter((key) => own[key] !== undefined);
    return matches(labelSelector, its) && same.every((key) => its[key] === own[key]);
}

function asPod({ labels, namespace, spec }: Replica): V1Pod {
    return { metadata: { labels: { ...labels }, namespace }, spec };
}
