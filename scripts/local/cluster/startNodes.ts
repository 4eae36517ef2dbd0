import { mkdirSync, rmSync } from "node:fs";

import { pauseTar } from "../pause";
import { announcePodRange, grantRights, waitNodeReady, waitReady } from "./bootstrap";
import { limitPods, makeCgroups } from "./cgroups";
import { cgroupName, dir, type Context } from "./folders";
import { importImage } from "./importImage";
import { startKueue } from "./kueue";
import { makeNetwork } from "./network";
import { shareImages } from "./nodes/images";
import { makeNodeNetwork, routeServices } from "./nodes/network";
import { type ClusterNode, hasSeveral, runningNodes } from "./nodes/place";
import { makeNodePki, makePki } from "./pki";
import { controlPlane, nodeServers } from "./servers";
import { startStage } from "./startServer";

/** Starts the control plane and all nodes. */
export async function startCluster(context: Context): Promise<void> {
    const nodes = runningNodes(context);
    makeCgroups(cgroupName(context.site));
    await Promise.all([makeNetworks(context, nodes), makePki(context, nodes)]);
    await startServers(context, nodes);
    await enforcePolicies(context, nodes);
    if (context.options.kueue === "on") {
        await startKueue(context);
    }
}

async function makeNetworks(context: Context, nodes: readonly ClusterNode[]): Promise<void> {
    await makeNetwork(context);
    for (const node of nodes) {
        await makeRoom(context, node);
    }
    await routeMachineToServices(context);
}

/** Creates the folders, the control group and the network of a node. */
async function makeRoom(context: Context, node: ClusterNode): Promise<void> {
    mkdirSync(node.configDir, { recursive: true, mode: 0o700 });
    makeCgroups(node.cgroup);
    await makeNodeNetwork(context, node);
}

/** Each change of the nodes may remove the one that forwards to Services. */
export async function routeMachineToServices(context: Context): Promise<void> {
    if (hasSeveral(context)) {
        await routeServices(context, runningNodes(context)[0]);
    }
}

async function startServers(context: Context, nodes: readonly ClusterNode[]): Promise<void> {
    const main = controlPlane(context);
    const others = nodes.map((node) => nodeServers(context, node));
    await startStage([...main.first, ...others.flatMap(({ first }) => first)]);
    await startStage(main.api);
    await grantRights(context.addresses, context.options);
    await Promise.all([
        startStage([...main.last, ...others.flatMap(({ last }) => last)]),
        importImage(context, await pauseTar()),
    ]);
    await waitReady(context.addresses, nodes);
    await complete(context, nodes);
}

/** Starts a node of a running cluster: one that is new, or one that was stopped. */
export async function startNode(context: Context, node: ClusterNode): Promise<void> {
    const [donor] = runningNodes(context).filter(({ name }) => name !== node.name);
    const servers = nodeServers(context, node);
    // The Node object of a stopped node says for a while that it is ready.
    const started = Date.now();
    await Promise.all([makeRoom(context, node), makeNodePki(context.addresses, node)]);
    await startStage(servers.first);
    if (donor === undefined) {
        rmSync(dir.images, { recursive: true, force: true });
        await importImage(context, await pauseTar());
    } else {
        await shareImages(context, donor, node);
    }
    await startStage(servers.last);
    await waitNodeReady(context.addresses, node, started);
    await complete(context, [node]);
    await enforcePolicies(context, [node]);
}

/** Does what the kubelet can't do: tells the API the range of a node's pods, and limits the pods to the node's CPUs. */
async function complete(context: Context, nodes: readonly ClusterNode[]): Promise<void> {
    if (!hasSeveral(context)) {
        return;
    }
    await Promise.all(nodes.map((node) => announcePodRange(context.addresses, node)));
    for (const { cgroup, cpuSet } of nodes) {
        if (cpuSet !== undefined) {
            await limitPods(cgroup, cpuSet);
        }
    }
}

async function enforcePolicies(context: Context, nodes: readonly ClusterNode[]): Promise<void> {
    await startStage(nodes.flatMap((node) => [...nodeServers(context, node).ready]));
}
