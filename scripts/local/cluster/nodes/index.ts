import { rmSync } from "node:fs";

import { withCluster } from "../lock";
import { deleteNodeObject } from "../bootstrap";
import type { Context } from "../folders";
import { changeRecord, forgetServers, type NodeRecord, readRecord } from "../record";
import { allServers, nodeServers } from "../servers";
import { routeMachineToServices, startNode } from "../startNodes";
import { sweep } from "../sweep";
import { writeTools } from "../tools";
import { runningCluster } from "../up";
import { cut, endSilence, heal, type Side, silence } from "./cuts";
import { removeNodeLink } from "./network";
import { type ClusterNode, hasSeveral, nodeAt, possessionsOfNode } from "./place";
import { checkedShape, MAX_NODES, type NodeShape, plainShape } from "./shape";

/** Adds a node, as an autoscaler does, and waits until it is ready. Returns its name. */
export function addNode(shape: NodeShape = {}): Promise<string> {
    return change(async (context) => {
        const index = freeIndex();
        const record: NodeRecord = { index, shape: { ...plainShape(index), ...checkedShape(shape) } };
        const node = nodeAt(context, record);
        changeRecord(({ nodes }) => ({ nodes: [...nodes, record] }));
        await startNode(context, node);
        return node.name;
    });
}

/** Removes a node with all its pods, as an autoscaler does: at once. `kubectl drain` moves the pods before. */
export function removeNode(name: string): Promise<void> {
    return change(async (context) => {
        const { index } = recordOf(name);
        const node = nodeAt(context, recordOf(name));
        await powerOff(context, node);
        changeRecord(({ nodes }) => ({ nodes: nodes.filter((other) => other.index !== index) }));
        await deleteNodeObject(context.addresses, node);
        await endSilence(context, node);
        rmSync(node.folder, { recursive: true, force: true });
        rmSync(node.runDir, { recursive: true, force: true });
    });
}

/** Stops a node as a power cut does: its processes end without a signal to handle, its disk is kept. */
export function stopNode(name: string): Promise<void> {
    return change(async (context) => {
        const record = recordOf(name);
        const node = nodeAt(context, record);
        changeRecord(({ nodes }) => ({ nodes: replaced(nodes, { ...record, stopped: true }) }));
        await silence(context, node);
        await powerOff(context, node);
    });
}

/** Starts a stopped node and waits until it is ready. */
export function restartNode(name: string): Promise<void> {
    return change(async (context) => {
        const { index, shape } = recordOf(name);
        const node = nodeAt(context, { index, shape });
        changeRecord(({ nodes }) => ({ nodes: replaced(nodes, { index, shape }) }));
        await endSilence(context, node);
        await startNode(context, node);
    });
}

/** Cuts a node off: from another node, from the control plane (`api`), or from everything (`all`). */
export function cutOff(name: string, from = "all"): Promise<void> {
    return change((context) => {
        const side: Side = from === "all" || from === "api" ? from : nodeAt(context, recordOf(from));
        return cut(context, nodeAt(context, recordOf(name)), side);
    });
}

/** Ends all cuts. */
export function healCuts(): Promise<void> {
    return change(heal);
}

/** Runs an action on the running cluster, while no other process changes it. */
function change<T>(action: (context: Context) => Promise<T>): Promise<T> {
    return withCluster(async () => {
        const context = await runningCluster();
        if (!hasSeveral(context)) {
            throw new Error(
                "The only node of this cluster shares the network of the control plane, so it can't be changed. " +
                    "Run make cluster-down, then NODES=3 make cluster.",
            );
        }
        const result = await action(context);
        await routeMachineToServices(context);
        writeTools(context);
        return result;
    });
}

async function powerOff(context: Context, node: ClusterNode): Promise<void> {
    forgetServers(allServers(nodeServers(context, node)).map((server) => server.name));
    await removeNodeLink(context, node);
    await sweep(possessionsOfNode(node));
    // As after a start of a machine, there are no sockets and no state of the runtime.
    rmSync(node.runDir, { recursive: true, force: true });
}

function freeIndex(): number {
    const used = (readRecord()?.nodes ?? []).map(({ index }) => index);
    const free = Array.from({ length: MAX_NODES }, (_, index) => index).find((index) => !used.includes(index));
    if (free === undefined) {
        throw new Error(`The cluster has ${MAX_NODES} nodes, for which its addresses are enough. Remove one of them.`);
    }
    return free;
}

function recordOf(name: string): NodeRecord {
    const nodes = readRecord()?.nodes ?? [];
    const found = nodes.find(({ index }) => name === `node-${index}`);
    if (found === undefined) {
        const names = nodes.map(({ index }) => `node-${index}`).join(", ");
        throw new Error(`The cluster has no node ${name}; its nodes are ${names}.`);
    }
    return found;
}

const replaced = (nodes: readonly NodeRecord[], changed: NodeRecord): NodeRecord[] =>
    nodes.map((node) => (node.index === changed.index ? changed : node));
