import assert from "node:assert/strict";

import { MiniCluster, type MiniClusterArgs, Network } from "flux-minicluster";

import { bareUnlessCommand } from "./changing";
import { LiveCluster } from "./liveCluster";
import type { TestNamespace } from "./namespace";

/** Arguments of a variant of a cluster. */
export type Way = Omit<MiniClusterArgs, "image" | "size">;

/** Prints host name, uid, user name and home of a task. */
const WHERE = "hostname; id -u; id -un; cd ~ && pwd";

/**
 * Tests what every variant of a cluster must do: start, run a job on all ranks, grow while it runs, and leave nothing.
 * The clusters of the variants, by their names, share one stack and run in parallel.
 */
export async function walkCorePath(namespace: TestNamespace, ways: Readonly<Record<string, Way>>): Promise<void> {
    const before = await namespace.objects();
    const clusters = Object.keys(ways).map((name) => new LiveCluster(namespace, name));
    let size = 2;
    const stack = namespace.stack("ways", async () => {
        for (const [name, way] of Object.entries(ways)) {
            new MiniCluster(name, { image: namespace.image, size, maxSize: 3, ...bareUnlessCommand(way) });
        }
    });
    await stack.up();
    const pods = await Promise.all(clusters.map((cluster) => cluster.podUids()));
    await assertTasks();

    size = 3;
    await stack.up();
    const grown = await Promise.all(clusters.map((cluster) => cluster.podUids()));
    assert.deepEqual(
        grown.map((uids) => uids.slice(0, 2)),
        pods,
        "a rank was replaced when the cluster grew",
    );
    await assertTasks();
    await stack.refresh(true);

    await stack.destroy();
    await namespace.assertNothingLeft((object) => !before.includes(object));

    async function assertTasks(): Promise<void> {
        for (const cluster of clusters) {
            await assertTasksOf(namespace, cluster, ways[cluster.name], size);
        }
    }
}

/** Requires that the tasks of all ranks have the right host name, user and home, and resolve each other's names. */
async function assertTasksOf(namespace: TestNamespace, cluster: LiveCluster, way: Way, size: number): Promise<void> {
    const { fqdn, network, user = { name: "root", uid: 0 } } = way as { fqdn?: boolean; network?: Network; user?: any };
    const suffix = fqdn ? `.${cluster.name}.${namespace.name}.svc.cluster.local` : "";
    const ranks = Array.from({ length: size }, (_, rank) => rank);
    const output = await cluster.flux("run", `-N${size}`, "bash", "-c", `echo $(${WHERE})`);
    const home = user.uid === 0 ? "/root" : "/var/lib/flux/home";
    const expected = ranks.map((rank) => `${cluster.name}-${rank}${suffix} ${user.uid} ${user.name} ${home}`);
    assert.deepEqual(output.split("\n").sort(), expected);
    if (network === Network.Hosts) {
        const names = ranks.map((rank) => `${cluster.name}-${rank}`);
        const found = await cluster.flux("run", `-N${size}`, "getent", "ahosts", names[size - 1]);
        const [pod] = (await namespace.pods(cluster.name)).slice(-1);
        const addresses = found.split("\n").map((line) => line.split(" ")[0]);
        assert.deepEqual([...new Set(addresses)], [pod.status?.podIP]);
    }
}
