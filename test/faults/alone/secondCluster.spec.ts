import assert from "node:assert/strict";

import { clusterUp } from "../../../scripts/local";
import { findSite, type Site } from "../../../scripts/local/cluster/site";
import { identify, isAlive } from "../../../scripts/local/processes";
import { sleep } from "../../../scripts/local/run";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { traces } from "../../e2e/support/traces";

const servers = [
    "containerd",
    "coredns",
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubelet",
];

describe("second local cluster", function () {
    this.timeout(180_000);
    const cluster = new SecondCluster();
    let own: Site;
    let atFirst: Awaited<ReturnType<typeof traces>>;

    before(async () => {
        await clusterUp();
        own = findSite() as Site;
        atFirst = await traces(own);
        await cluster.cli("up");
    });

    after(() => cluster.remove());

    it("refuses other options while it runs", async () => {
        await assert.rejects(cluster.cli("up", { DNS: "off" }), /Run make cluster-down first/);
    });

    for (const killed of servers) {
        it(`is recreated after kill -9 of ${killed}`, async () => {
            const before = cluster.servers();
            assert.deepEqual(Object.keys(before).sort(), servers);
            await kill(before[killed]);
            await cluster.cli("up");
            const after = cluster.servers();
            assert.deepEqual(
                servers.filter((name) => after[name] === undefined || after[name] === before[name]),
                [],
            );
        });
    }

    it("runs its own pod", async () => {
        await cluster.kubectl("create", "deployment", "pause", "--image=localhost/pause:1");
        await cluster.kubectl("expose", "deployment", "pause", "--port=80");
        await cluster.kubectl("wait", "deployment/pause", "--for=condition=Available", "--timeout=60s");
    });

    it("leaves nothing when it is removed while pods run", async function () {
        // Another clone's cluster may change the compared traces at any time.
        if (atFirst.sites.filter((site) => /\/\d+$/.test(site)).length > 1) {
            this.skip();
        }
        assert.notDeepEqual(await traces(own), atFirst);
        await cluster.cli("down");
        assert.deepEqual(await traces(own), atFirst);
    });
});

async function kill(pid: number | undefined): Promise<void> {
    const identity = pid === undefined ? undefined : identify(pid);
    assert(identity, "the server was not running");
    process.kill(identity.pid, "SIGKILL");
    while (isAlive(identity)) {
        await sleep(20);
    }
}
