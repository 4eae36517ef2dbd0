import { selects, untolerated } from "./admits";
import { type Amounts, timesIn } from "./amounts";
import { capacityOf, type Room } from "./nodes";
import { hostPortsOf } from "./ports";
import { requestsOf } from "./requests";
import { type Replica, rulesOf } from "./rules";

/** Where the pods of a Job get. */
export interface Placed {
    /** The node of each pod that gets onto one now. */
    readonly chosen: readonly Room[];
    /** The nodes that admit the pods, whatever room they have. */
    readonly admitting: readonly Room[];
    /** Number of all nodes, and of those without the labels that the pods need. */
    readonly all: number;
    readonly unselected: number;
    /** The taints that keep the pods away, one of each other node. */
    readonly untolerated: readonly string[];
}

/** Places up to `most` pods, one after the other, as the filters of the scheduler would. */
export function place(replica: Replica, rooms: readonly Room[], most: number): Placed {
    const wanted = requestsOf(replica.spec);
    const ports = hostPortsOf(replica.spec);
    const selected = rooms.filter(({ node }) => selects(replica.spec, node));
    const taints = new Map(selected.map((room) => [room, untolerated(replica.spec, wanted, room.node)?.key]));
    const admitting = selected.filter((room) => taints.get(room) === undefined);
    const nodes = {
        admitting,
        all: rooms.length,
        unselected: rooms.length - selected.length,
        untolerated: [...taints.values()].filter((key) => key !== undefined),
    };
    const left = new Map(admitting.map((room) => [room, capacityOf(room, wanted, ports)]));
    const rules = rulesOf(replica, rooms);
    // As by the scheduler's scores, the emptiest nodes come first, and each gets one pod in turn.
    const order = admitting.toSorted((one, other) => emptiness(other, wanted) - emptiness(one, wanted));
    const chosen: Room[] = [];
    for (let before = -1; before < chosen.length && chosen.length < most; ) {
        before = chosen.length;
        for (const room of order) {
            const capacity = left.get(room) ?? 0;
            if (chosen.length < most && capacity > 0 && rules.every((rule) => rule.allows(room))) {
                rules.forEach((rule) => rule.add(room));
                left.set(room, capacity - 1);
                chosen.push(room);
            }
        }
    }
    return { ...nodes, chosen };
}

/** The mean free part of a node's resources after it has got a pod. */
function emptiness({ allocatable, free }: Room, wanted: Amounts): number {
    const parts = Object.entries(wanted).map(
        ([name, amount]) => ((free[name] ?? 0) - amount) / (allocatable[name] || 1),
    );
    return parts.reduce((total, part) => total + part, 0) / (parts.length || 1);
}

/** The resource of which the nodes have room for the fewest pods, and its free and whole amounts. */
export function scarcest(replica: Replica, rooms: readonly Room[]): Scarce | undefined {
    const wanted = requestsOf(replica.spec);
    const total = (amounts: (room: Room) => Amounts, name: string) =>
        rooms.reduce((all, room) => all + (amounts(room)[name] ?? 0), 0);
    const all = Object.entries(wanted)
        .filter(([, amount]) => amount > 0)
        .map(([name, amount]) => ({
            name,
            amount,
            pods: rooms.reduce((sum, { free }) => sum + timesIn({ [name]: amount }, free), 0),
            free: total((room) => room.free, name),
            whole: total((room) => room.allocatable, name),
            largest: Math.max(...rooms.map(({ free }) => free[name] ?? 0)),
        }));
    return all.sort((one, other) => one.pods - other.pods)[0];
}

export interface Scarce {
    readonly name: string;
    /** What each pod requests. */
    readonly amount: number;
    /** How many pods this resource alone has room for. */
    readonly pods: number;
    readonly free: number;
    readonly whole: number;
    /** What is free on the node that has the most. */
    readonly largest: number;
}
