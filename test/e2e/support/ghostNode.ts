import type { V1Node } from "@kubernetes/client-node";

import type { Kube } from "./kube";

/** A node without a kubelet. Its taint keeps all pods away that don't tolerate it. */
export class GhostNode {
    constructor(
        private readonly kube: Kube,
        readonly name: string,
    ) {}

    get label(): Readonly<Record<string, string>> {
        return { "example.com/ghost": this.name };
    }

    get taint() {
        return { key: "example.com/ghost", value: this.name, effect: "NoSchedule" };
    }

    async make(): Promise<void> {
        const capacity = { cpu: "8", memory: "16Gi", pods: "110" };
        const now = new Date();
        const ready = { type: "Ready", status: "True", reason: "x", message: "x", lastTransitionTime: now };
        const body: V1Node = {
            metadata: { name: this.name, labels: this.label },
            spec: { taints: [this.taint] },
            status: { capacity, allocatable: capacity, conditions: [{ ...ready, lastHeartbeatTime: now }] },
        };
        await this.kube.core.createNode({ body });
    }

    /** Removes it and its pods, which no kubelet ends. */
    async remove(): Promise<void> {
        const fieldSelector = `spec.nodeName=${this.name}`;
        const { items } = await this.kube.core.listPodForAllNamespaces({ fieldSelector });
        const ends = items.map(({ metadata = {} }) => {
            const { name = "", namespace = "" } = metadata;
            return this.kube.core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
        });
        await Promise.allSettled(ends);
        await this.kube.core.deleteNode({ name: this.name });
    }
}
