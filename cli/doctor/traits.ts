import type { V1Node } from "@kubernetes/client-node";

/** What something has, by the name for a user. */
export type Traits = Readonly<Record<string, string>>;

const LABELS: Traits = {
    "node.kubernetes.io/instance-type": "instance type",
    "topology.kubernetes.io/zone": "zone",
};

/** What Kubernetes says of a node's machine and software. */
function traitsOf({ metadata, status }: V1Node): Traits {
    const { containerRuntimeVersion, kernelVersion, kubeletVersion, osImage } = status?.nodeInfo ?? {};
    const labels = Object.entries(LABELS).map(([label, name]) => [name, metadata?.labels?.[label]]);
    const all = [
        ...labels,
        ["kernel", kernelVersion],
        ["system", osImage],
        ["container runtime", containerRuntimeVersion],
        ["kubelet", kubeletVersion],
        ["number of CPUs", status?.capacity?.["cpu"]],
    ];
    return Object.fromEntries(all.filter(([, value]) => value)) as Traits;
}

/** What each node has, by its name. */
export function traitsByNode(nodes: readonly V1Node[] = []): Map<string, Traits> {
    return new Map(nodes.map((node) => [node.metadata?.name ?? "", traitsOf(node)]));
}

/** What one has and none of the others, as `kernel 5.4 (the others have 6.1)`. */
export function differences(one: Traits, others: readonly Traits[]): string[] {
    return Object.entries(one).flatMap(([name, value]) => {
        const theirs = [...new Set(others.flatMap((other) => other[name] ?? []))];
        return theirs.length === 0 || theirs.includes(value)
            ? []
            : [`${name} ${value} (the others have ${theirs.slice(0, 3).join(" or ")})`];
    });
}
