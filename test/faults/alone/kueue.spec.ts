import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import { type ApiRequest, requestsOf } from "../../e2e/support/auditLog";
import { ChangingCluster } from "../../e2e/support/changing";
import { useNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";
import { Queues, kubernetesWithKueue } from "../support/kueue";

const CPU = { requests: { cpu: "100m" }, limits: { cpu: "1" } };
const PLAIN = [{ name: "plain", cpu: "400m" }];

describe("MiniCluster in a queue of the real Kueue", function () {
    // Kueue may have to be built.
    this.timeout(1_800_000);
    const kueue = kubernetesWithKueue();
    const namespace = useNamespace({ world: kueue.world });
    const queues = new Queues(namespace);
    const cluster = (name: string, args: ChangingCluster["args"]) =>
        new ChangingCluster(namespace, name, { resources: CPU, queueName: "team", ...args });
    const says = (of: ChangingCluster, words: RegExp, from = 0) =>
        until(
            `the update says ${words}`,
            async () => (words.test(of.stack.printed.slice(from)) ? true : undefined),
            90,
        );

    before(() => queues.make({ flavors: PLAIN }));
    after(() => queues.removeAll());
    after(() => kueue.remove());

    it("tells its place and what the quota lacks, and starts when the quota grows", async () => {
        const first = cluster("first", { size: 3 });
        assert.equal((await first.stack.up()).outputs.cluster.phase, "ready");
        await first.stack.unchanged();
        const second = cluster("second", { size: 2 });
        const up = second.stack.up();
        await says(second, /waits in its queue: first of 1 in team; quota: 0\.2 cpu needed, 0\.1 free/);
        const third = cluster("third", { size: 4 });
        const later = third.stack.up();
        await says(third, /waits in its queue: second of 2 in team; quota: 0\.4 cpu needed, 0\.1 free/);
        await queues.setCpu("1");
        assert.equal((await up).outputs.cluster.phase, "ready");
        assert.equal((await later).outputs.cluster.phase, "ready");
        await queues.setCpu("400m");
    });

    it("tells that its queue doesn't exist, and starts when it is made", async () => {
        const lost = cluster("lost", { size: 1, queueName: "later" });
        const { warnings } = await lost.preview();
        assert.match(warnings.join(), /LocalQueue later doesn't exist, so the Job waits until it is created/);
        const up = lost.stack.up();
        await says(lost, /waits in its queue: .*LocalQueue later doesn't exist/);
        await queues.make({ name: "later", flavors: [{ name: "other", cpu: "1" }] });
        assert.equal((await up).outputs.cluster.phase, "ready");
        await queues.remove({ kind: "LocalQueue", name: "later" });
        await lost.stack.unchanged();
    });

    describe("that grows", () => {
        let grows: ChangingCluster;

        before(() => {
            grows = cluster("grows", { size: 2, maxSize: 8 });
        });

        it("keeps its pods", async () => {
            await grows.stack.up();
            const pods = await grows.podUids();
            grows.set({ size: 3 });
            assert.equal((await grows.stack.up()).outputs.cluster.phase, "ready");
            assert.deepEqual((await grows.podUids()).slice(0, 2), pods);
            assert.deepEqual(await grows.nodes(), { free: 3, down: 5 });
            await grows.stack.unchanged();
        });

        it("waits in the queue with its new pods only", async () => {
            const pods = await grows.podUids();
            grows.set({ size: 6 });
            const from = grows.stack.printed.length;
            const up = grows.stack.up();
            await says(grows, /waits in its queue: first of 1 in team; quota: 0\.2 cpu more needed/, from);
            assert.equal(await grows.flux("run", "-N3", "-n3", "hostname").then((text) => text.split("\n").length), 3);
            await queues.setCpu("1");
            assert.equal((await up).outputs.cluster.phase, "ready");
            assert.deepEqual((await grows.podUids()).slice(0, 3), pods);
            await queues.setCpu("400m");
        });

        it("gives quota back when it shrinks", async () => {
            grows.set({ size: 1 });
            await grows.stack.up();
            await until("the quota is given back", async () => ((await queues.used()) === "100m" ? true : undefined));
            await grows.stack.unchanged();
        });
    });

    it("says that a resize goes back to the queue without Kueue's annotation", async () => {
        const plain = cluster("plain", {
            size: 1,
            maxSize: 2,
            annotations: { "kueue.x-k8s.io/elastic-job": "false" },
        });
        await plain.stack.up();
        const [pod] = await plain.podUids();
        plain.set({ size: 2 });
        const { warnings } = await plain.preview();
        assert.match(warnings.join(), /waits in its queue again/);
        assert.equal((await plain.stack.up()).outputs.cluster.phase, "ready");
        assert.ok(!(await plain.podUids()).includes(pod));
    });

    it("shows no drift after its admission by a flavor with a node label, and keeps its pods in an update", async () => {
        const nodeLabels = { "kubernetes.io/os": "linux" };
        const tolerations = [{ key: "flavor", operator: "Exists", effect: "NoSchedule" }];
        await queues.make({
            name: "labelled",
            flavors: [{ name: "linux", cpu: "1", spec: { nodeLabels, tolerations } }],
        });
        const chosen = cluster("chosen", { size: 2, queueName: "labelled" });
        await chosen.stack.up();
        const spec = ({ spec: { template } = {} as never }: V1Job) => template?.spec;
        assert.deepEqual(spec(await chosen.job())?.nodeSelector, nodeLabels);
        await chosen.stack.unchanged();
        const pods = await chosen.podUids();
        chosen.set({ annotations: { note: "changed" } });
        await chosen.stack.up();
        assert.deepEqual(await chosen.podUids(), pods);
        assert.deepEqual(spec(await chosen.job())?.nodeSelector, nodeLabels);
    });

    it("needs the rights of docs/rbac.yaml only, and uses all of those for a queue", () => {
        const requests = requestsOf(namespace.username, kueue.auditLog());
        // The rights of docs/rbac-fit.yaml are optional, and cluster-wide.
        const isOptional = ({ resource, uri }: ApiRequest) =>
            resource === "clusterqueues" || /^\/api\/v1\/(nodes|pods)\?/.test(uri);
        const rightOf = ({ apiGroup, resource, verb }: ApiRequest) => `${verb} ${apiGroup}/${resource}`;
        const refused = requests.filter((request) => request.code === 403 && !isOptional(request));
        assert.deepEqual(refused.map(rightOf), []);
        const answered = requests.filter(({ apiGroup, code }) => code === 200 && apiGroup.endsWith("kueue.x-k8s.io"));
        assert.deepEqual([...new Set(answered.map(rightOf))].sort(), [
            "get kueue.x-k8s.io/localqueues",
            "get visibility.kueue.x-k8s.io/localqueues/pendingworkloads",
            "list kueue.x-k8s.io/workloads",
            "watch kueue.x-k8s.io/workloads",
        ]);
    });
});
