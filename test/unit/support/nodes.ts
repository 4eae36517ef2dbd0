import type { V1Node, V1Pod, V1PodSpec, V1Taint } from "@kubernetes/client-node";

/** A node with so many CPUs and room for 110 pods. */
export function makeNode(name: string, cpu: number | string, more: NodeOptions = {}): V1Node {
    const { devices, labels, memory = "64Gi", providerID, taints, unschedulable } = more;
    return {
        metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
        spec: { providerID, taints, unschedulable },
        status: { allocatable: { cpu: String(cpu), memory, pods: String(more.pods ?? 110), ...devices } },
    };
}

export interface NodeOptions {
    readonly devices?: Record<string, string>;
    readonly labels?: Record<string, string>;
    readonly memory?: string;
    readonly pods?: number;
    readonly providerID?: string;
    readonly taints?: V1Taint[];
    readonly unschedulable?: boolean;
}

/** The spec of a pod of one container with these requests. */
export function podSpec(requests: Record<string, string> = {}, more: Partial<V1PodSpec> = {}): V1PodSpec {
    return { containers: [{ name: "flux", resources: { requests } }], ...more };
}

/** A pod on a node. */
export function podOn(node: string, spec: V1PodSpec, metadata: V1Pod["metadata"] = {}): V1Pod {
    return {
        metadata: { name: `on-${node}`, namespace: "others", ...metadata },
        spec: { ...spec, nodeName: node },
        status: { phase: "Running" },
    };
}
