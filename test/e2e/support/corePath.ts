import assert from "node:assert/strict";

import { type MiniClusterArgs, Network } from "flux-minicluster";

import { ChangingCluster } from "./changing";
import type { TestNamespace } from "./namespace";

/** What a task says of where it is. */
const WHERE = "hostname; id -u; id -un; cd ~ && pwd";

/** What every way of making a cluster has to do: come up, run a job on all ranks, grow while it runs, and leave nothing. */
export async function walkCorePath(namespace: TestNamespace, name: string, args: Omit<MiniClusterArgs, "image">): Promise<void> {
    const before = await namespace.objects();
    const cluster = new ChangingCluster(namespace, name, { size: 2, maxSize: 3, ...args });
    await cluster.stack.up();
    const uids = await cluster.podUids();
    await assertTasks(namespace, cluster, 2);

    cluster.set({ size: 3 });
    await cluster.stack.up();
    assert.deepEqual((await cluster.podUids()).slice(0, 2), uids, "the ranks that ran still run");
    await assertTasks(namespace, cluster, 3);
    await cluster.stack.refresh(true);

    await cluster.stack.destroy();
    await namespace.assertNothingLeft((object) => !before.includes(object));
}

/** Each rank gets a task, which is called and runs as it should, and finds the others. */
async function assertTasks(namespace: TestNamespace, cluster: ChangingCluster, size: number): Promise<void> {
    const { fqdn, network, user = { name: "root", uid: 0 } } = cluster.args as { fqdn?: boolean; network?: Network; user?: any };
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
