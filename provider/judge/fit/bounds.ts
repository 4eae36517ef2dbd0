import { selects } from "./admits";
import { type Amounts, describeAmount } from "./amounts";
import { atBest, capacityOf, type Room } from "./nodes";
import { hostPortsOf } from "./ports";
import { requestsOf } from "./requests";
import { keysApart, type Replica } from "./rules";

/** How many pods of a Job the nodes of a cluster could hold, if everything that can pass has passed. */
export interface Bound {
    readonly most: number;
    /** Number of nodes that can hold one. */
    readonly able: number;
    /** Why no node can hold one. */
    readonly none: string;
}

/**
 * The most pods that the existing nodes can hold at once: without the pods that can end, and without taints and cordons,
 * which administrators and controllers remove. Labels, allocatable amounts and the pods of DaemonSets stay.
 */
export function boundOf(replica: Replica, rooms: readonly Room[]): Bound {
    const { spec } = replica;
    const wanted = requestsOf(spec);
    const selected = rooms.filter(({ node }) => selects(spec, node));
    const best = selected.map((room) => atBest(room, Boolean(spec.priorityClassName)));
    const capacities = new Map(best.map((room) => [room, capacityOf(room, wanted, hostPortsOf(spec))]));
    const able = [...capacities].filter(([, capacity]) => capacity > 0);
    const total = able.reduce((sum, [, capacity]) => sum + capacity, 0);
    const most = Math.min(total, ...keysApart(replica).map((key) => domains(key, able)));
    return { most, able: able.length, none: whyNone(wanted, rooms, best) };
}

function whyNone(wanted: Amounts, rooms: readonly Room[], best: readonly Room[]): string {
    if (best.length === 0) {
        return `no node of ${rooms.length} has the labels that nodeSelector and affinity require`;
    }
    for (const [name, amount] of Object.entries(wanted)) {
        const largest = Math.max(...best.map(({ free }) => free[name] ?? 0));
        if (largest < amount) {
            return largest <= 0
                ? `no node of ${best.length} has ${name} for them`
                : `the largest of ${nodesOf(best.length)} has ${describeAmount(name, largest)}`;
        }
    }
    return `no node of ${best.length} has all of that together`;
}

export function nodesOf(count: number): string {
    return `${count} node${count === 1 ? "" : "s"}`;
}

/** One pod for each value of a label. Nodes without the label have no such limit. */
function domains(key: string, able: readonly (readonly [Room, number])[]): number {
    const valueOf = ({ node }: Room) => node.metadata?.labels?.[key];
    const without = able.filter(([room]) => valueOf(room) === undefined).map(([, capacity]) => capacity);
    const values = new Set(able.map(([room]) => valueOf(room)).filter((value) => value !== undefined));
    return without.reduce((sum, capacity) => sum + capacity, values.size);
}
