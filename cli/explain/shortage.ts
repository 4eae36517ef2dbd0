import { describeSeconds } from "../../provider/contract/quantity";
import { type Amounts, be, describeAmounts, fits, inState, number, wanted } from "./amounts";
import type { Facts, Part } from "./facts";

/** Number of jobs that a sentence names. */
const MOST_NAMED = 5;

/** Why the scheduler doesn't give a job its resources. */
export function shortage(facts: Facts): Part {
    const { nodes } = facts;
    const wish = wanted(facts.wish.resources);
    if (!nodes) {
        return {
            reason: "scheduler",
            sentences: [
                `It needs ${describeAmounts(wish)}, and waits for the scheduler, which doesn't say its resources.`,
            ],
        };
    }
    const [all, up, free] = ["all", "up", "free"].map((state) => inState(nodes, state));
    const needs = `It needs ${describeAmounts(wish)}${constraintOf(facts)}; ${describeFree(free)} free.`;
    const about = [needs, ...away(facts)];
    if (!fits(wish, up)) {
        return { reason: "nodes", sentences: [...about, tooFew(wish, all, up)] };
    }
    const before = order(facts);
    if (!fits(wish, free)) {
        return { reason: "resources", sentences: [...about, ...holders(facts), ...before] };
    }
    if (before.length > 0) {
        return { reason: "order", sentences: [...about, ...before] };
    }
    return { reason: "scheduler", sentences: [...about, unclear(facts)] };
}

function describeFree(free: Amounts): string {
    return `${describeAmounts(free)} ${free.nodes === 1 ? "is" : "are"}`;
}

function constraintOf({ wish }: Facts): string {
    return wish.constraints === undefined ? "" : ` that match ${JSON.stringify(wish.constraints)}`;
}

function tooFew(wish: Amounts, all: Amounts, up: Amounts): string {
    return fits(wish, all)
        ? `It can't start before more nodes are up: ${describeAmounts(up)} ${up.nodes === 1 ? "is" : "are"}.`
        : `The cluster has only ${describeAmounts(all)}: it can start when the cluster is larger.`;
}

/** The nodes that take no jobs. Flux counts a drained node as one that is down. */
function away({ drained, nodes }: Facts): string[] {
    const down = inState(nodes ?? [], "down");
    if (down.nodes === 0) {
        return [];
    }
    const reasons = (drained ?? []).map(([ranks, reason]) => {
        const plain = ranks.replaceAll(/[[\]\s]/g, "");
        return `rank ${plain} is drained${reason.trim() === "" ? "" : ` (${reason.trim()})`}`;
    });
    const why = reasons.length === 0 ? "" : `: ${reasons.join(", ")}`;
    return [`${be(down.nodes)} down or drained (rank ${down.ranks})${why}.`];
}

/** The jobs that have resources. */
function holders({ running }: Facts): string[] {
    if (!running || running.length === 0) {
        return [];
    }
    const named = running.slice(0, MOST_NAMED).map(([jobId, nodes, cores, , seconds, name]) => {
        const amounts = describeAmounts({ nodes: Number(nodes), cores: Number(cores), gpus: 0 });
        return `${name} (${jobId}, ${amounts}, for ${describeSeconds(Number(seconds))})`;
    });
    return [
        `${number(running.length, "job")} ${running.length === 1 ? "has" : "have"} resources: ${list(named, running)}.`,
    ];
}

/** The jobs that the scheduler looks at first: those with a higher priority, and older ones with the same. */
function order({ id, waiting }: Facts): string[] {
    const own = waiting?.find(([jobId]) => jobId.trim() === id);
    if (!waiting || own === undefined) {
        return [];
    }
    const before = waiting.filter(([jobId, , priority]) => {
        const difference = Number(priority) - Number(own[2]);
        return difference > 0 || (difference === 0 && BigInt(jobId.trim()) < BigInt(id));
    });
    if (before.length === 0) {
        return [];
    }
    const named = before.slice(-MOST_NAMED).map(([, jobId, , name]) => `${name} (${jobId})`);
    return [
        `${number(before.length, "job")} ${before.length === 1 ? "waits" : "wait"} before it: ${list(named, before)}.`,
    ];
}

function list(named: readonly string[], all: readonly unknown[]): string {
    const more = all.length - named.length;
    return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function unclear({ wish }: Facts): string {
    return wish.constraints === undefined
        ? "The scheduler can start it: look again in a moment. Free cores may be spread over nodes on which its tasks don't fit."
        : "The free nodes may not match its constraint.";
}
