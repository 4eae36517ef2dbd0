import assert from "node:assert/strict";

import type { MiniClusterArgs } from "flux-minicluster";

import { ChangingCluster } from "./changing";
import type { TestNamespace } from "./namespace";
import { until } from "./until";

/** What every way of making a cluster has to do: come up, run a job on all ranks, grow while it runs, and leave nothing. */
export async function walkCorePath(namespace: TestNamespace, name: string, args: Omit<MiniClusterArgs, "image">): Promise<void> {
    const before = await namespace.objects();
    const cluster = new ChangingCluster(namespace, name, { size: 2, maxSize: 3, ...args });
    await cluster.stack.up();
    assert.deepEqual((await hostnames(cluster, 2)).length, 2);
    const uids = await cluster.podUids();

    cluster.set({ size: 3 });
    await cluster.stack.up();
    assert.deepEqual((await cluster.podUids()).slice(0, 2), uids, "the ranks that ran still run");
    assert.equal(new Set(await hostnames(cluster, 3)).size, 3);
    await cluster.stack.refresh(true);
    await cluster.stack.preview(true);

    await cluster.stack.destroy();
    await until("nothing is left", async () => {
        const left = (await namespace.objects()).filter((object) => !before.includes(object));
        return left.length === 0 ? true : undefined;
    });
}

async function hostnames(cluster: ChangingCluster, ranks: number): Promise<string[]> {
    return (await cluster.flux("run", `-N${ranks}`, "hostname")).split("\n").sort();
}
