import type { Resource } from "./facts";

/** Numbers of resources. */
export interface Amounts {
    readonly nodes: number;
    readonly cores: number;
    readonly gpus: number;
}

const NOTHING: Amounts = { nodes: 0, cores: 0, gpus: 0 };

/** What a jobspec asks for. The number of nodes is 0 if it asks for none. */
export function wanted(resources: readonly Resource[], times = 1): Amounts {
    return resources.map((resource) => wantedOf(resource, times)).reduce(sum, NOTHING);
}

function wantedOf({ count, type, with: inner = [] }: Resource, times: number): Amounts {
    const number = times * (typeof count === "number" ? count : count.min);
    const own = {
        nodes: type === "node" ? number : 0,
        cores: type === "core" ? number : 0,
        gpus: type === "gpu" ? number : 0,
    };
    return sum(own, wanted(inner, number));
}

function sum(one: Amounts, other: Amounts): Amounts {
    return { nodes: one.nodes + other.nodes, cores: one.cores + other.cores, gpus: one.gpus + other.gpus };
}

/** The amounts and ranks of a state, of all lines of `flux resource list` with it. */
export function inState(rows: readonly (readonly string[])[], state: string): Amounts & { readonly ranks: string } {
    const found = rows.filter(([name]) => name.trim() === state);
    const total = found
        .map(([, nodes, cores, gpus]) => ({ nodes: Number(nodes), cores: Number(cores), gpus: Number(gpus) }))
        .reduce(sum, NOTHING);
    const ranks = found.map(([, , , , text = ""]) => text.replaceAll(/[[\]\s]/g, "")).filter((text) => text !== "");
    return { ...total, ranks: ranks.join(",") };
}

/** True if all of it is there. */
export function fits(wish: Amounts, there: Amounts): boolean {
    return wish.nodes <= there.nodes && wish.cores <= there.cores && wish.gpus <= there.gpus;
}

/** `2 nodes with 8 cores and 1 GPU`. */
export function describeAmounts({ cores, gpus, nodes }: Amounts): string {
    const inside = [number(cores, "core"), ...(gpus === 0 ? [] : [number(gpus, "GPU")])].join(" and ");
    return nodes === 0 ? inside : `${number(nodes, "node")} with ${inside}`;
}

export function number(amount: number, what: string): string {
    return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}

/** `1 is`, `2 are`. */
export function be(amount: number): string {
    return `${amount} ${amount === 1 ? "is" : "are"}`;
}
