import assert from "node:assert/strict";

import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { GRACE, LIMIT } from "./support/pods/limits";
import type { PodEnd } from "./support/pods/pod";
import { ignores, soon } from "./support/pods/processes";
import { brokerOf, isWhole, submitTo, Tasks } from "./support/pods/tasks";

/*
 * Pods as kubelet runs them, as far as that can be had on one machine without it: the package's own scripts, by the Job's
 * own pod template.
 */

const oneCore = { resources: { limits: { cpu: "1" } } };
const SIGTERM = 15;
/** docs/ends-and-exits.md: of a pod that was told to end. */
const LEFT = { code: 143, killed: false };

function assertLeft(ends: readonly PodEnd[], seconds = Infinity): void {
    assert.deepEqual(
        ends.map(({ code, killed }) => ({ code, killed })),
        ends.map(() => LEFT),
    );
    const longest = Math.max(...ends.map((end) => end.seconds));
    assert.ok(longest <= seconds, `the last pod took ${longest} s, and ${seconds} s are allowed`);
}

before(provideImage);

describe("a cluster that stays", function () {
    this.timeout(120_000);

    it("is destroyed in order within seconds under a job of all its ranks, which counts as cancelled", () =>
        withPods({ size: 4, ...oneCore, ...GRACE }, async (cluster) => {
            await cluster.up(4);
            const { id, tasks } = await submitTo(cluster, 4, ["sleep", "10000"]);
            const record = cluster.rank(0).exec("flux", "job", "attach", "--show-events", id);
            await record.says(/job\.start/);
            assertLeft(await cluster.destroy(), LIMIT);
            assert.deepEqual(tasks.alive, []);
            assert.match((await record.ended).stderr, /exception.*type="?cancel/);
        }));

    it("is destroyed in order within seconds under tasks that ignore SIGTERM", () =>
        withPods({ size: 4, ...oneCore, ...GRACE }, async (cluster) => {
            await cluster.up(4);
            const { tasks } = await submitTo(cluster, 4, ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"]);
            await soon(
                "all tasks ignore SIGTERM",
                () => tasks.alive.every(({ pid }) => ignores(pid, SIGTERM)) || undefined,
            );
            assertLeft(await cluster.destroy());
            assert.deepEqual(tasks.alive, []);
        }));

    it("keeps the drain of an administrator while the rank leaves and comes back, and not its own", () =>
        withPods({ size: 3, ...oneCore }, async (cluster) => {
            await cluster.up(3);
            await cluster.flux("resource", "drain", "1", "bad memory");
            assertLeft(await Promise.all([1, 2].map((rank) => cluster.rank(rank).delete())));
            const pods = await cluster.start(1, 2);
            await Promise.all(pods.map((pod) => pod.ready()));
            const drained = await cluster.flux("resource", "drain", "--no-header", "--format={ranks} {reason}");
            assert.match(drained, /^1 .*bad memory/);
            assert.equal(drained.split("\n").length, 1, drained);
        }));
});

describe("a broker that is killed", function () {
    this.timeout(120_000);
    const verdicts = new Map([0, 1].map((rank) => [rank, { rank, verdict: Promise.resolve() }]));
    before(() => {
        for (const each of verdicts.values()) {
            each.verdict = withPods({ size: 3, ...oneCore }, (cluster) => lose(cluster, each.rank));
            // A test that comes later hears of it.
            each.verdict.catch(() => undefined);
        }
    });

    async function lose(cluster: PodCluster, rank: number): Promise<void> {
        await cluster.up(3);
        const { tasks } = await submitTo(cluster, 3, ["sleep", "10000"]);
        const killed = brokerOf(cluster, rank);
        assert.ok(killed, "the broker is found");
        process.kill(killed.pid, "SIGKILL");
        await soon("another broker is there", () => {
            const broker = brokerOf(cluster, rank);
            return broker !== undefined && broker.pid !== killed.pid ? broker : undefined;
        });
        assert.deepEqual(tasks.of(cluster, rank), [], "tasks that outlived their broker");
        await isWhole(cluster, 3);
        assert.deepEqual(tasks.alive, [], "tasks whose job has ended");
        assert.equal(await cluster.flux("run", "-N3", "-n3", "echo", "again"), "again\nagain\nagain");
    }

    it("takes its tasks with it if it is a follower's; the next job has the cores", () => verdicts.get(1)?.verdict);
    it("takes its tasks with it if it is the lead's; the next job has the cores", () => verdicts.get(0)?.verdict);
});

describe("a cluster with a command", function () {
    this.timeout(120_000);

    it("ends with the command's exit code", () =>
        withPods({ size: 2, ...oneCore, command: ["sh", "-c", "exit 3"] }, async (cluster) => {
            const [lead] = await cluster.start(0, 1);
            assert.equal((await lead?.ended())?.code, 3);
            assertLeft([await cluster.rank(1).delete()]);
        }));

    it("ends with 143 when its lead gets SIGTERM", () =>
        during(async (cluster, tasks) => {
            assertLeft([await cluster.rank(0).delete()]);
            assert.deepEqual(tasks.of(cluster, 0), []);
        }));

    it("fails when a follower gets SIGTERM, which ends with 143", () =>
        during(async (cluster, tasks) => {
            assertLeft([await cluster.rank(1).delete()]);
            // The Job has failed now, and its controller ends all other pods.
            const lead = await cluster.rank(0).delete();
            assert.ok(lead.code !== 0 && !lead.killed, `the lead ended with ${lead.code}`);
            assert.deepEqual(tasks.alive, []);
        }));

    async function during(action: (cluster: PodCluster, tasks: Tasks) => Promise<void>): Promise<void> {
        const tasks = new Tasks();
        await withPods({ size: 2, ...oneCore, command: ["env", tasks.mark, "sleep", "10000"] }, async (cluster) => {
            await cluster.start(0, 1);
            await tasks.run(2);
            await action(cluster, tasks);
        });
    }
});
