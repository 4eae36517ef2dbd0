import assert from "node:assert/strict";

import type { V1Pod } from "@kubernetes/client-node";

import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { isReady } from "../../e2e/support/kube";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

describe("nodes that can't reach each other", function () {
    this.timeout(900_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());
    afterEach(() => kubernetes.nodes("heal"));

    async function apart(name: string): Promise<GuardedCluster> {
        const archive = { hostPath: "/tmp/flux-minicluster-archives", folder: `${namespace.name}-${name}`, period: 1 };
        const cluster = new GuardedCluster(namespace, name, { size: 3, placement: "spread", archive });
        await cluster.stack.up();
        return cluster;
    }

    /** The pods of a cluster that are not being deleted. */
    async function present(cluster: string): Promise<V1Pod[]> {
        return (await namespace.pods(cluster)).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    }

    const untilReady = (cluster: string) =>
        until(
            "all ranks are ready",
            async () => {
                const pods = await present(cluster);
                return (pods.length === 3 && pods.every(isReady)) || undefined;
            },
            180,
        );

    it("replaces no pod if only the brokers can't reach each other, and goes on when they can", async () => {
        const cluster = await apart("brokers");
        const [lead, ...followers] = await present("brokers");
        const waiting = await cluster.flux("submit", "-N3", "--urgency=hold", "hostname");
        const uids = await cluster.podUids();
        for (const { spec } of followers) {
            await kubernetes.nodes("cut", lead?.spec?.nodeName ?? "", spec?.nodeName ?? "");
        }
        const begun = Date.now();
        const lost = async () => (await cluster.flux("resource", "list", "-no", "{state} {nnodes}")).includes("down 2");
        await until("Flux has lost both followers", async () => (await lost()) || undefined, 120);
        console.log(`      Flux has lost both followers after ${Math.round((Date.now() - begun) / 1000)} s`);
        const said = await cluster.command("doctor").catch(({ stdout }: { stdout: string }) => stdout);
        assert.match(said, /fail .*(have not joined|Flux says of rank \d)/);
        await kubernetes.nodes("heal");
        await untilReady("brokers");
        await cluster.flux("job", "urgency", waiting, "16");
        const result = async () => cluster.flux("jobs", "--no-header", "--format={result}", waiting);
        await until("the job has run", async () => (await result()) === "COMPLETED" || undefined, 120);
        assert.deepEqual(await cluster.podUids(), uids);
        await cluster.stack.destroy();
    });
});
