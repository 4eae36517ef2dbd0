import { existsSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

import { parse } from "yaml";

/** What distinguishes a node from the other nodes. */
export interface NodeShape {
    readonly labels?: Readonly<Record<string, string>>;
    readonly taints?: readonly Taint[];
    /** Number of the machine's CPUs that its pods can use. @default all */
    readonly cpus?: number;
    /** Memory of its pods, in `Mi` or `Gi`. @default all */
    readonly memory?: string;
}

export interface Taint {
    readonly key: string;
    readonly value?: string;
    readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** The addresses of a cluster are enough for so many nodes. */
export const MAX_NODES = 8;

/** The label of a node's rack. Zones have a label of Kubernetes. */
export const RACK = "example.com/rack";
export const ZONE = "topology.kubernetes.io/zone";

/** The shape of a node without another one: two zones take turns, and each node is a rack. */
export const plainShape = (index: number): NodeShape => ({
    labels: { [ZONE]: index % 2 === 0 ? "zone-a" : "zone-b", [RACK]: `rack-${index}` },
});

/**
 * The shapes that NODES asks for: a number of nodes, or a file in YAML with a list of shapes. An empty list is the one
 * node that shares the network of the control plane.
 */
export function shapesOf(nodes: string | undefined): readonly NodeShape[] {
    if (nodes === undefined || nodes === "" || nodes === "1") {
        return [];
    }
    const count = Number(nodes);
    if (Number.isInteger(count) && count >= 1 && count <= MAX_NODES) {
        return plainShapes(count);
    }
    if (!Number.isNaN(count) || !existsSync(nodes)) {
        throw new Error(`NODES=${nodes} must be a number from 1 to ${MAX_NODES}, or a file with a list of nodes.`);
    }
    return shapesIn(nodes);
}

function plainShapes(count: number): readonly NodeShape[] {
    return Array.from({ length: count }, (_, index) => plainShape(index));
}

/** The number of nodes, with their shapes if they are not plain. */
export function describeShapes(shapes: readonly NodeShape[]): string {
    const text = JSON.stringify(shapes);
    const isPlain = text === JSON.stringify(plainShapes(shapes.length));
    return `${Math.max(1, shapes.length)}${isPlain ? "" : ` ${text}`}`;
}

function shapesIn(file: string): readonly NodeShape[] {
    const shapes = parse(readFileSync(file, "utf8")) as NodeShape[];
    if (!Array.isArray(shapes) || shapes.length < 1 || shapes.length > MAX_NODES) {
        throw new Error(`The file ${file} of NODES must contain a list of 1 to ${MAX_NODES} nodes.`);
    }
    return shapes.map((shape, index) => ({ ...plainShape(index), ...checkedShape(shape) }));
}

const FIELDS = ["labels", "taints", "cpus", "memory"];

/** Refuses values that the kubelet would refuse later, or would not use. */
export function checkedShape(shape: NodeShape | null): NodeShape {
    const given = shape ?? {};
    const unknown = Object.keys(given).filter((field) => !FIELDS.includes(field));
    if (unknown.length > 0) {
        throw new Error(`A node has no field ${unknown.join(", ")}; the fields are ${FIELDS.join(", ")}.`);
    }
    const { cpus: wanted, memory } = given;
    if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 1 && wanted <= cpus().length)) {
        throw new Error(`A node's cpus: ${wanted} must be an integer from 1 to ${cpus().length}, as the machine has.`);
    }
    if (memory !== undefined && mebibytes(memory) > totalMebibytes()) {
        throw new Error(`A node's memory: ${memory} must be at most ${totalMebibytes()}Mi, as the machine has.`);
    }
    return given;
}

/** The rest of the machine, which the kubelet doesn't give to pods. */
export function reserved({ cpus: wanted, memory }: NodeShape): Record<string, string> {
    return {
        ...(wanted === undefined ? {} : { cpu: String(cpus().length - wanted) }),
        ...(memory === undefined ? {} : { memory: `${totalMebibytes() - mebibytes(memory)}Mi` }),
    };
}

/** The CPUs of a node. Small nodes with neighbouring indexes get different CPUs. */
export function cpuSet({ cpus: wanted }: NodeShape, index: number): string | undefined {
    if (wanted === undefined) {
        return undefined;
    }
    const total = cpus().length;
    return Array.from({ length: wanted }, (_, place) => (index * wanted + place) % total).join(",");
}

function mebibytes(memory: string): number {
    const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(memory) ?? [];
    if (amount === undefined) {
        throw new Error(`A node's memory: ${memory} must be an integer with the unit Mi or Gi.`);
    }
    return Number(amount) * (unit === "Gi" ? 1024 : 1);
}

const totalMebibytes = (): number => Math.floor(totalmem() / (1 << 20));

/** The shape in a JSON text. */
export const shapeOf = (json: string | undefined): NodeShape =>
    json === undefined ? {} : checkedShape(JSON.parse(json) as NodeShape);
