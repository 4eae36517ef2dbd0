import { addNode, cutOff, healCuts, removeNode, restartNode, stopNode } from ".";
import type { NodeRecord } from "../record";
import { shapeOf } from "./shape";

const USAGE =
    "usage: nodes add [JSON] | remove NODE | stop NODE | start NODE | cut NODE [NODE|api|all] | heal\n" +
    'JSON is the shape of the new node: {"cpus": 1, "memory": "4Gi", "labels": {...}, "taints": [...]}';

/** Changes the nodes of the running cluster. */
const verbs: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
    add: async ([shape]) => console.log(await addNode(shapeOf(shape))),
    remove: ([name = ""]) => removeNode(name),
    stop: ([name = ""]) => stopNode(name),
    start: ([name = ""]) => restartNode(name),
    cut: ([name = "", from]) => cutOff(name, from),
    heal: healCuts,
};

export async function changeNodes([verb = "", ...words]: readonly string[]): Promise<void> {
    const action = verbs[verb];
    if (action === undefined) {
        throw new Error(USAGE);
    }
    await action(words);
}

/** One line for each node. */
export function describeNodes(nodes: readonly NodeRecord[]): string {
    const lines = nodes.map(({ index, shape, stopped }) => {
        const size = [shape.cpus && `${shape.cpus} CPUs`, shape.memory].filter(Boolean);
        const labels = Object.entries(shape.labels ?? {}).map(([name, value]) => `${name}=${value}`);
        const taints = (shape.taints ?? []).map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`);
        return `node-${index}: ${[stopped ? "stopped" : "started", ...size, ...labels, ...taints].join(", ")}`;
    });
    return lines.join("\n");
}
