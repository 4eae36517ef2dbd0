import { mkdirSync } from "node:fs";

import { run, tryRun } from "../../run";
import { networkNamespace, type Context } from "../folders";
import { inner, insideNetwork, linkToCluster, makeNamespace, noDad } from "../network";
import type { Addresses } from "../site";
import type { ClusterNode } from "./place";

/**
 * Creates the network namespace of a node, and a pair of links to the namespace of the control plane, which is the
 * router between the nodes. No two nodes share a link: each packet between them passes the router's routes, as in a
 * cloud.
 */
export async function makeNodeNetwork(context: Context, node: ClusterNode): Promise<void> {
    if (node.link === undefined) {
        return;
    }
    const { addresses, site } = context;
    mkdirSync(node.runDir, { recursive: true });
    await makeNamespace(node.network);
    const router = networkNamespace(site);
    const [inNode, inRouter] = [insideNetwork(node.network), insideNetwork(router)];
    const pair = ["type", "veth", "peer", "name", inner, "netns", node.network];
    await run(...inRouter("ip", "link", "add", node.link, ...pair));
    const own = `${node.address}/${isIpv6(node.address) ? 128 : 32}`;
    const gateway = isIpv6(node.address) ? routerLinkLocal : addresses.controlPlane;
    await runAll(inNode, [
        "link set lo up",
        ["address add", own, "dev", inner, ...noDad(context)].join(" "),
        `link set ${inner} up`,
        `route add default via ${gateway} dev ${inner} onlink`,
        // Without this route, a packet to a pod that has ended would go back and forth between node and router.
        `route add unreachable ${node.podRange}`,
    ]);
    await forward(inNode);
    await runAll(inRouter, [
        ...(isIpv6(node.address) ? [`address add ${routerLinkLocal}/64 dev ${node.link} nodad`] : []),
        `link set ${node.link} up`,
        `route add ${own} dev ${node.link}`,
        `route add ${node.podRange} via ${node.address} dev ${node.link} onlink`,
    ]);
    await forward(inRouter);
    await routeMachine(context);
}

/** Removes the link to a node with its routes. The kernel would do this some time after the end of the namespace. */
export async function removeNodeLink({ site }: Context, node: ClusterNode): Promise<void> {
    await tryRun(...insideNetwork(networkNamespace(site))("ip", "link", "delete", node.link ?? ""));
}

/** All routers have this address on the link to a node, because a node doesn't see the other links. */
const routerLinkLocal = "fe80::1";

/** Adds the machine's route to the nodes. The routes to pods and Services exist. */
async function routeMachine({ addresses, site }: Context): Promise<void> {
    const through = ["via", addresses.controlPlane, "dev", linkToCluster(site)];
    await run("ip", ["route", "replace", addresses.nodeRange, ...through]);
}

/**
 * Routes packets of the machine and of the control plane to Services through a node, whose kube-proxy translates the
 * address.
 */
export async function routeServices(
    { addresses, site }: { addresses: Addresses; site: Context["site"] },
    node: ClusterNode | undefined,
): Promise<void> {
    const inRouter = insideNetwork(networkNamespace(site));
    const through = node === undefined ? [] : ["via", node.address, "dev", node.link ?? "", "onlink"];
    const kind = node === undefined ? ["unreachable"] : [];
    await run(...inRouter("ip", "route", "replace", ...kind, addresses.serviceRange, ...through));
}

type Inside = ReturnType<typeof insideNetwork>;

/** Runs commands of `ip` by one process. */
async function runAll(inside: Inside, commands: readonly string[]): Promise<void> {
    await run(...inside("sh", "-c", 'set -e; for words in "$@"; do ip $words; done', "sh", ...commands));
}

const forward = (inside: Inside): Promise<string> =>
    run(
        ...inside(
            "sh",
            "-c",
            "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding",
        ),
    );

const isIpv6 = (address: string): boolean => address.includes(":");
