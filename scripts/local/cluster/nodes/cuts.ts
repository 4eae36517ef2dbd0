import { run } from "../../run";
import { networkNamespace, type Context } from "../folders";
import { insideNetwork } from "../network";
import type { ClusterNode } from "./place";

/** The other side of a cut: a node, the control plane, or everything. */
export type Side = ClusterNode | "api" | "all";

const TABLES = "flux_minicluster";

/**
 * Drops all packets between a node with its pods and another side, in both directions, as a broken network does: no
 * sender learns of it. A node that is cut off from the control plane can still ask CoreDNS, which has pods of its own in
 * other clusters.
 */
export async function cut(context: Context, node: ClusterNode, side: Side): Promise<void> {
    const table = `inet ${TABLES}_cut_${idOf(node)}_${typeof side === "string" ? side : idOf(side)}`;
    await addTable(context, table, rulesFor(context, node, side));
}

/** Ends all cuts. Stopped nodes stay silent. */
export async function heal(context: Context): Promise<void> {
    await removeTables(context, `${TABLES}_cut_`);
}

/** Drops the packets to a stopped node. Otherwise the router would tell the senders that there is no node. */
export function silence(context: Context, node: ClusterNode): Promise<void> {
    return addTable(context, `inet ${TABLES}_stopped_${idOf(node)}`, rulesFor(context, node, "all"));
}

export function endSilence(context: Context, node: ClusterNode): Promise<void> {
    return removeTables(context, `${TABLES}_stopped_${idOf(node)}`);
}

function rulesFor({ addresses, options }: Context, node: ClusterNode, side: Side): string[] {
    const ip = options.ipFamily === "ipv4" ? "ip" : "ip6";
    const here = setOf(node);
    if (side === "all") {
        return [`${ip} saddr ${here} drop`, `${ip} daddr ${here} drop`];
    }
    const there = side === "api" ? addresses.controlPlane : setOf(side);
    const dns = side === "api" ? ["udp dport 53 accept", "udp sport 53 accept"] : [];
    return [...dns, `${ip} saddr ${here} ${ip} daddr ${there} drop`, `${ip} saddr ${there} ${ip} daddr ${here} drop`];
}

const setOf = ({ address, podRange }: ClusterNode): string => `{ ${address}, ${podRange} }`;
const idOf = ({ name }: ClusterNode): string => name.replaceAll("-", "_");

async function addTable(context: Context, table: string, rules: readonly string[]): Promise<void> {
    // All packets to and from nodes pass the router. It has those of the control plane as output.
    const chains = ["prerouting", "output"].flatMap((hook) => [
        `add chain ${table} ${hook} { type filter hook ${hook} priority -400; }`,
        ...rules.map((rule) => `add rule ${table} ${hook} ${rule}`),
    ]);
    await nft(context, [`add table ${table}`, `flush table ${table}`, ...chains].join("; "));
}

async function removeTables(context: Context, prefix: string): Promise<void> {
    const tables = (await nft(context, "list tables inet")).match(new RegExp(`inet ${prefix}\\w*`, "g")) ?? [];
    for (const table of tables) {
        await nft(context, `delete table ${table}`);
    }
}

function nft({ site }: Context, command: string): Promise<string> {
    return run(...insideNetwork(networkNamespace(site))("nft", command));
}
