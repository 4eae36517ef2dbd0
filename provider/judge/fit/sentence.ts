import { describeAmount, describeAmounts, describePart } from "./amounts";
import { type Bound, nodesOf } from "./bounds";
import { type Placed, type Scarce, scarcest } from "./placement";
import { type Allowance, describeLeft } from "./quotas";
import { requestsOf } from "./requests";
import type { Situation } from "./situation";

/** Says how many pods start now, what the others wait for, and which size would start at once. */
export function waitSentence(situation: Situation, starting: number): string {
    const { placed, wish } = situation;
    const nodes = placed !== undefined && placed.chosen.length < wish.added ? [describePlaced(situation, placed)] : [];
    const quotas = tightest(situation.allowances.filter(({ now }) => now < wish.added)).map(describeLeft);
    return finish(situation, [`${head(situation)}: ${[...nodes, ...quotas].join("; ")}`, wayOut(situation, starting)]);
}

/** Says why the queue doesn't start the pods now. */
export function queueSentence(situation: Situation, reason: string): string {
    const { leastInQueue } = situation.wish;
    const most = leastInQueue === undefined ? "all of them together" : `at least ${leastInQueue} of them`;
    return finish(situation, [`${head(situation)}: ${reason}`, `Kueue starts ${most}, or none`]);
}

/** Number of pods that have room at best, and the number that has to start. */
export interface Room {
    readonly most: number;
    readonly needed: number;
}

/** Says why the pods can never start, and which size could. */
export function neverSentence(situation: Situation, reasons: readonly string[], { most, needed }: Room): string {
    const isWay = most > situation.wish.kept && most < needed;
    const way = isWay ? `size ${most} could start${minSizeFor(situation, most)}` : "change the pods, or the cluster";
    return finish(situation, [`${head(situation)} can never start: ${[...new Set(reasons)].join("; ")}`, way]);
}

/** `, with minSize 3`, if the quorum of the wish is larger. */
function minSizeFor({ wish: { added, kept, least } }: Situation, size: number): string {
    return kept === 0 && size < least && least < added ? `, with minSize ${size}` : "";
}

/** Says what the nodes of a cluster can hold at best. */
export function describeBound({ able, most, none }: Bound, needed: number): string {
    const holding = `${nodesOf(able)} ${able === 1 ? "holds" : "hold"} at most ${most} of them`;
    return most === 0 ? none : `${holding}, also without the other pods, and ${needed} are needed`;
}

/** `4 pods of 8 cpu, 32 GiB memory`. */
function head({ replica, wish }: Situation): string {
    const amounts = describeAmounts(requestsOf(replica.spec));
    const pods = `${wish.added}${wish.kept > 0 ? " more" : ""} pod${wish.added === 1 ? "" : "s"}`;
    return amounts === "" ? pods : `${pods} of ${amounts}`;
}

function describePlaced(situation: Situation, placed: Placed): string {
    const { admitting, chosen } = placed;
    const count = chosen.length;
    const fit = count === 0 ? "none fits now" : `${count} fit${count === 1 ? "s" : ""} now`;
    return `${fit} (${describeRoom(situation, placed)}${admitting.length === 0 ? "" : describeNodes(placed)})`;
}

function describeNodes({ admitting, all }: Placed): string {
    return ` on ${admitting.length} of ${nodesOf(all)}`;
}

function describeRoom({ replica, wish }: Situation, { admitting, all, unselected, untolerated }: Placed): string {
    if (admitting.length === 0) {
        const keys = [...new Set(untolerated)].join(", ");
        const tainted =
            untolerated.length === 0 ? [] : [`${untolerated.length} with taints that aren't tolerated: ${keys}`];
        const others = unselected === 0 ? [] : [`${unselected} without the labels of nodeSelector and affinity`];
        return `no node admits them; of ${nodesOf(all)}, ${[...tainted, ...others].join("; ")}`;
    }
    const scarce = scarcest(replica, admitting);
    if (scarce === undefined || scarce.pods >= wish.added) {
        return "rules of affinity and spread, host ports and the number of pods allow no more";
    }
    return `${describePart(scarce.name, scarce.free, scarce.whole)} free${describeLargest(scarce, wish.added)}`;
}

/** Says why the free amounts of all nodes together would suffice, and don't. */
function describeLargest({ amount, free, largest, name }: Scarce, pods: number): string {
    return free >= amount * pods ? `, at most ${describeAmount(name, largest)}` : "";
}

function wayOut({ bound, canGrow, placed, replica, wish }: Situation, starting: number): string {
    const size = wish.kept + starting;
    // A PodGroup may want more pods at once than the quorum.
    const isAlone = wish.kept === 0 && replica.spec.schedulingGroup === undefined;
    const isEnough = isAlone && starting >= wish.least && wish.least < wish.added;
    const ways = [
        size > wish.kept ? `size ${size} would start at once` : waitedFor(placed),
        ...(canGrow ? ["an autoscaler may add nodes"] : []),
        ...(isEnough ? [`the cluster starts with ${starting} ranks (minSize ${wish.least})`] : []),
    ];
    const all = wish.kept + wish.added;
    return bound !== undefined && bound.most < all
        ? [...ways, `its nodes hold at most ${bound.most} of ${all} pods`].join("; ")
        : ways.join("; ");
}

function waitedFor(placed: Placed | undefined): string {
    const isAdmitted = placed === undefined || placed.admitting.length > 0;
    return `the pods wait ${isAdmitted ? "until others end" : "for a node that admits them"}`;
}

/** The allowances that admit the fewest pods, one of each quota. */
function tightest(allowances: readonly Allowance[]): Allowance[] {
    const byQuota = new Map<string, Allowance>();
    for (const allowance of allowances) {
        const known = byQuota.get(allowance.quota);
        byQuota.set(allowance.quota, known !== undefined && known.now <= allowance.now ? known : allowance);
    }
    return [...byQuota.values()];
}

function finish({ uncounted }: Situation, parts: readonly string[]): string {
    const text = parts.join("; ");
    return uncounted.length === 0 ? `${text}.` : `${text}. Not counted: ${uncounted.join(", ")}.`;
}
