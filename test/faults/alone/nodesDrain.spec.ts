import assert from "node:assert/strict";

import { ARCHIVES } from "../../e2e/support/archives";
import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

const NODES = ["node-0", "node-1", "node-2"];
/** Each round drains all nodes and the first one again. A new cluster has no back-off for its pods yet. */
const ROUNDS = 5;
const ROUND = [...NODES, "node-0"];
/** Jobs of a round, which need all ranks for longer than its drains take. */
const JOBS = 60;

describe("maintenance of three nodes", function () {
    this.timeout(1_200_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());

    const guarded = (name: string): GuardedCluster =>
        new GuardedCluster(namespace, name, {
            size: 3,
            placement: "exclusive",
            disruptionBudget: true,
            archive: { hostPath: ARCHIVES, folder: `${namespace.name}-${name}` },
        });

    const drain = (node: string): Promise<string> =>
        kubernetes.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s");

    describe("with a cluster that runs one job", () => {
        let cluster: GuardedCluster;
        let [busy, idle] = ["", ""];
        let job: string;

        before(async () => {
            cluster = guarded("one");
            await cluster.stack.up();
            const pods = await namespace.pods("one");
            [busy = "", idle = ""] = pods.slice(1).map(({ spec }) => spec?.nodeName ?? "");
            job = await cluster.occupy(1);
        });

        /** Waits until the pod of a node is evicted. */
        async function evicted(node: string): Promise<void> {
            await until("the pod is evicted", async () => {
                const pods = await namespace.pods("one");
                const isThere = pods.some(
                    ({ metadata, spec }) => spec?.nodeName === node && !metadata?.deletionTimestamp,
                );
                return isThere ? undefined : true;
            });
        }

        it("lets an idle rank leave while a job runs on another one", async () => {
            const draining = drain(idle);
            await evicted(idle);
            await draining;
            assert.match(await cluster.flux("jobs", "--no-header", "--filter=running", "--format={id}"), /\S/);
            await kubernetes.kubectl("uncordon", idle);
        });

        it("evicts a busy rank after the job's end", async () => {
            const draining = drain(busy);
            await until("the node is cordoned", async () => {
                const { spec } = await namespace.kube.core.readNode({ name: busy });
                return spec?.unschedulable;
            });
            assert.equal(await cluster.evict(1), 429);
            await cluster.flux("cancel", job);
            const ended = Date.now();
            await evicted(busy);
            const left = Date.now() - ended;
            await draining;
            console.log(`      evicted after ${left} ms, drained after ${Date.now() - ended} ms`);
            await kubernetes.kubectl("uncordon", busy);
        });
    });

    for (let round = 1; round <= ROUNDS; round++) {
        it(`loses no job of a steady queue when its nodes are drained in turn, round ${round} of ${ROUNDS}`, async () => {
            const cluster = guarded(`round-${round}`);
            await cluster.stack.up();
            const seconds: number[] = [];
            await cluster.flux("submit", `--cc=1-${JOBS}`, "-N1", "--exclusive", "sleep", "4");
            for (const node of ROUND) {
                await untilReady(`round-${round}`);
                const begun = Date.now();
                await cluster.command("drain", node);
                await drain(node);
                seconds.push(Math.round((Date.now() - begun) / 1000));
                await kubernetes.kubectl("uncordon", node);
            }
            await untilReady(`round-${round}`);
            await until(
                "all jobs have ended",
                async () => (await cluster.flux("jobs", "--no-header", "--format={id}")) === "" || undefined,
                300,
            );
            const results = (await cluster.flux("jobs", "-a", "--count=0", "--no-header", "--format={result}")).split(
                "\n",
            );
            assert.deepEqual(results, Array<string>(JOBS).fill("COMPLETED"));
            console.log(`      seconds of the drains: ${seconds.join(", ")}`);
            await cluster.stack.destroy();
        });
    }

    /** Waits until each rank has its pod and has joined. */
    async function untilReady(cluster: string): Promise<void> {
        await until(
            "all ranks have joined",
            async () => {
                const pods = await namespace.pods(cluster);
                const isReady = pods.map(
                    ({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.status,
                );
                return (pods.length === 3 && isReady.every((ready) => ready === "True")) || undefined;
            },
            120,
        );
    }
});
