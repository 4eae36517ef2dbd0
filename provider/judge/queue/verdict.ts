import { type Amounts, describeAmount, describePart, timesIn } from "../fit/amounts";
import type { Flavor, QueueQuota } from "./quota";

/** What a queue of Kueue does with the pods of a Job, which it starts all together. */
export interface QueueVerdict {
    readonly class: "never" | "now" | "waits";
    /** Why the pods don't start now; empty for `now`. */
    readonly reason: string;
    /** False if the Job may start earlier than the numbers tell. */
    readonly isCertain: boolean;
}

const NOW: QueueVerdict = { class: "now", reason: "", isCertain: true };

/** The wanted number of pods, and what each takes; `freed` is what the update frees before. */
export interface Asked {
    readonly pods: number;
    /** Number of pods of the Job that run already. */
    readonly kept: number;
    readonly each: Amounts;
    readonly freed: Amounts;
}

/** Judges a Job by the quota of its queue. What a cohort may lend, and what isn't known, decides nothing. */
export function judgeQueue({ clusterQueue, groups, preempts, queue }: QueueQuota, asked: Asked): QueueVerdict {
    if (clusterQueue === undefined) {
        const reason = `LocalQueue ${queue} doesn't exist, so the Job waits until it is created`;
        return { class: "waits", reason, isCertain: false };
    }
    if (groups === undefined) {
        return NOW;
    }
    const where = `queue ${queue} (ClusterQueue ${clusterQueue})`;
    const unknown = Object.keys(asked.each).find((name) => (asked.each[name] ?? 0) > 0 && !isIn(groups, name));
    if (unknown !== undefined) {
        const reason = `${where} has no quota of ${unknown}, so it admits no pod that requests it`;
        return { class: "waits", reason, isCertain: false };
    }
    const found = groups.map((flavors) => ofGroup(flavors, asked));
    const never = found.find(({ ever }) => ever !== undefined);
    if (never?.ever !== undefined) {
        return { class: "never", reason: `${where} ${never.ever}`, isCertain: true };
    }
    const waits = found.find(({ now }) => now !== undefined);
    return waits?.now === undefined
        ? NOW
        : { class: "waits", reason: `${where} ${waits.now}`, isCertain: preempts !== true };
}

/** Number of pods for which the whole quota of a queue suffices. What isn't known decides nothing. */
export function mostInQueue({ groups = [] }: QueueQuota, each: Amounts): number {
    return Math.min(...groups.map((flavors) => mostIn(flavors, each)));
}

function isIn(groups: readonly (readonly Flavor[])[], resource: string): boolean {
    return groups.some((flavors) => flavors.some(({ most }) => most[resource] !== undefined));
}

/** Why no flavor of a group has room now, and why none ever has it. */
function ofGroup(flavors: readonly Flavor[], asked: Asked): { now?: string; ever?: string } {
    const whole = flavors.map(({ most }) => ({ room: most, most }));
    const present = flavors.map((flavor) => ({ room: leftOf(flavor, asked.freed), most: flavor.most }));
    const together = { ...asked, pods: asked.kept + asked.pods };
    return { ever: shortage(whole, together, describeWhole), now: shortage(present, asked, describeLeft) };
}

/** What the flavor with the most room lacks, in words; undefined if it has room for all pods. */
function shortage(
    all: readonly Room[],
    asked: Asked,
    describe: (resource: string, room: Room, asked: Asked) => string,
): string | undefined {
    const best = roomiest(all, asked.each);
    const resource = best && lacking(best.room, asked);
    return best === undefined || resource === undefined ? undefined : describe(resource, best, asked);
}

function describeWhole(resource: string, { most }: Room, { each, pods }: Asked): string {
    const need = (each[resource] ?? 0) * pods;
    return (
        `has ${describeAmount(resource, most[resource] ?? 0)} in all, and ${pods} pods need ` +
        describeAmount(resource, need)
    );
}

function describeLeft(resource: string, { most, room }: Room): string {
    return `leaves ${describePart(resource, room[resource] ?? 0, most[resource] ?? 0)}`;
}

interface Room {
    readonly room: Amounts;
    readonly most: Amounts;
}

/** What a flavor leaves when the update has freed what its own pods have. */
function leftOf({ left, most }: Flavor, freed: Amounts): Amounts {
    const entries = Object.entries(left).map(([name, amount]) => [
        name,
        Math.min(most[name] ?? 0, amount + (freed[name] ?? 0)),
    ]);
    return Object.fromEntries(entries) as Amounts;
}

/** Number of pods for which the flavor with the most quota suffices when no other Job has any. */
function mostIn(flavors: readonly Flavor[], each: Amounts): number {
    return Math.max(...flavors.map(({ most }) => timesIn(within(each, most), most)));
}

/** The flavor with room for the most pods. Resources of other groups don't count. */
function roomiest(all: readonly Room[], each: Amounts): Room | undefined {
    const pods = ({ room }: Room) => timesIn(within(each, room), room);
    return [...all].sort((a, b) => pods(b) - pods(a))[0];
}

/** The first resource of which all pods together need more. */
function lacking(room: Amounts, { each, pods }: Asked): string | undefined {
    return Object.entries(within(each, room)).find(([name, amount]) => (room[name] ?? 0) < amount * pods)?.[0];
}

function within(each: Amounts, room: Amounts): Amounts {
    return Object.fromEntries(Object.entries(each).filter(([name, amount]) => amount > 0 && room[name] !== undefined));
}
