import type { V1Node, V1Pod } from "@kubernetes/client-node";

import { ChangingCluster } from "../../e2e/support/changing";
import { MERGE } from "../../e2e/support/liveCluster";
import type { TestNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";

const GATE = "example.com/hold";

/** CPUs of each of three pods that together need this share of the only node, in thousandths. */
export async function thirdOf({ kube }: TestNamespace, share: number): Promise<{ requests: { cpu: string } }> {
    const [node] = (await kube.core.listNode()).items as [V1Node];
    const cpu = Math.floor((Number(node.status?.allocatable?.["cpu"]) * 1000 * share) / 3);
    return { requests: { cpu: `${cpu}m` } };
}

/** Two clusters without a queue that each get the only node for a part of their pods, because gates let them take turns. */
export class Halves {
    private readonly clusters: readonly [ChangingCluster, ChangingCluster];

    private constructor(
        private readonly namespace: TestNamespace,
        resources: { readonly requests: { readonly cpu: string } },
    ) {
        const podTemplate = { spec: { schedulingGates: [{ name: GATE }] } };
        const args = { size: 3, resources, podTemplate, fit: "off" } as const;
        this.clusters = [new ChangingCluster(namespace, "one", args), new ChangingCluster(namespace, "two", args)];
    }

    /** Requires that both updates name the other cluster within 30 s. */
    static async areTold(namespace: TestNamespace): Promise<void> {
        const halves = new Halves(namespace, await thirdOf(namespace, 0.9));
        const [one, two] = halves.clusters;
        // Programs of one process share their failures, so both updates fail when one does.
        const ended = Promise.allSettled(halves.clusters.map(({ stack }) => stack.up()));
        await halves.release(["one-0", "one-1", "two-0"]);
        await Promise.all([0, 1].map((rank) => halves.onNode("one", rank)));
        await halves.onNode("two", 0);
        await halves.release(["one-2", "two-1", "two-2"]);
        const others = ["one holds nodes for 2 pods and lacks 1", "two holds nodes for 1 pod and lacks 2"] as const;
        await until(
            "both are told",
            async () => {
                const isTold =
                    one.stack.printed.includes(others.join(", ")) &&
                    two.stack.printed.includes([...others].reverse().join(", "));
                return isTold || undefined;
            },
            30,
        );
        await Promise.all(halves.clusters.map((cluster) => cluster.removeJob()));
        await ended;
    }

    /** Removes the gates of pods, so that the scheduler places them. */
    private async release(names: readonly string[]): Promise<void> {
        const body = { spec: { schedulingGates: null } };
        for (const name of names) {
            const [cluster = "", rank = ""] = name.split("-");
            const pod = await until(`${name} exists`, () => this.pod(cluster, Number(rank)), 180);
            const { name: full = "" } = pod.metadata ?? {};
            const place = { name: full, namespace: this.namespace.name };
            await this.namespace.kube.core.patchNamespacedPod({ ...place, body }, MERGE);
        }
    }

    private async pod(cluster: string, rank: number): Promise<V1Pod | undefined> {
        return (await this.namespace.pods(cluster))[rank];
    }

    private onNode(cluster: string, rank: number): Promise<string> {
        return until(`${cluster}-${rank} has a node`, async () => (await this.pod(cluster, rank))?.spec?.nodeName);
    }
}
