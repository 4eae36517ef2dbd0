import assert from "node:assert/strict";

import { readMessage } from "../../provider/observe/pods/marks";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { GRACE, KILL_TIMEOUT, LIMIT } from "./support/pods/limits";
import type { PodEnd } from "./support/pods/pod";
import { ignores } from "./support/pods/processes";
import { brokerOf, isWhole, submitTo, Tasks } from "./support/pods/tasks";
import { soon } from "../e2e/support/until";

/*
 * Runs pods as kubelet does, as far as this is possible on one machine without kubelet: with the package's scripts and
 * the Job's pod template.
 */

const oneCore = { resources: { limits: { cpu: "1" } } };
const SIGTERM = 15;
/** The end of a pod after SIGTERM, by docs/troubleshooting.md. */
const LEFT = { code: 143, killed: false };

function assertLeft(ends: readonly PodEnd[], seconds = Infinity): void {
    assert.deepEqual(
        ends.map(({ code, killed }) => ({ code, killed })),
        ends.map(() => LEFT),
    );
    const longest = Math.max(...ends.map((end) => end.seconds));
    assert.ok(longest <= seconds, `the last pod took ${longest} s, the limit is ${seconds} s`);
}

before(provideImage);

describe("persistent cluster", function () {
    this.timeout(120_000);

    it("ends in order within seconds during a job of all ranks, which is cancelled", () =>
        withPods({ size: 4, ...oneCore, ...GRACE }, async (cluster) => {
            await cluster.up(4);
            const { id, tasks } = await submitTo(cluster, 4, ["sleep", "10000"]);
            const record = cluster.rank(0).exec("flux", "job", "attach", "--show-events", id);
            await record.says(/job\.start/);
            assertLeft(await cluster.destroy(), LIMIT);
            assert.deepEqual(tasks.alive, []);
            assert.match((await record.ended).stderr, /exception.*type="?cancel/);
        }));

    it("ends in order within seconds although tasks ignore SIGTERM", () =>
        withPods({ size: 4, ...oneCore, ...GRACE }, async (cluster) => {
            await cluster.up(4);
            const { tasks } = await submitTo(cluster, 4, ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"]);
            await soon(
                "all tasks ignore SIGTERM",
                () => tasks.alive.every(({ pid }) => ignores(pid, SIGTERM)) || undefined,
            );
            assertLeft(await cluster.destroy(), LIMIT + KILL_TIMEOUT);
            assert.deepEqual(tasks.alive, []);
        }));

    it("keeps an administrator's drain, and not its own, when a rank leaves and returns", () =>
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

describe("killed broker", function () {
    this.timeout(120_000);
    const verdicts = new Map([0, 1].map((rank) => [rank, { rank, verdict: Promise.resolve() }]));
    before(() => {
        for (const each of verdicts.values()) {
            each.verdict = withPods({ size: 3, ...oneCore }, (cluster) => lose(cluster, each.rank));
            // The test of this rank reports the failure later.
            each.verdict.catch(() => undefined);
        }
    });

    async function lose(cluster: PodCluster, rank: number): Promise<void> {
        await cluster.up(3);
        const { tasks } = await submitTo(cluster, 3, ["sleep", "10000"]);
        const killed = brokerOf(cluster, rank);
        assert.ok(killed, "the pod has no broker");
        process.kill(killed.pid, "SIGKILL");
        await soon("the broker is restarted", () => {
            const broker = brokerOf(cluster, rank);
            return broker !== undefined && broker.pid !== killed.pid ? broker : undefined;
        });
        assert.deepEqual(tasks.of(cluster, rank), [], "tasks outlived their broker");
        await isWhole(cluster, 3);
        assert.deepEqual(tasks.alive, [], "tasks outlived their job");
        assert.equal(await cluster.flux("run", "-N3", "-n3", "echo", "again"), "again\nagain\nagain");
    }

    it("ends its tasks and frees their cores for the next job if it is a follower's", () => verdicts.get(1)?.verdict);
    it("ends its tasks and frees their cores for the next job if it is the lead's", () => verdicts.get(0)?.verdict);
});

describe("ephemeral cluster", function () {
    this.timeout(120_000);

    it("ends with the command's exit code", () =>
        withPods({ size: 2, ...oneCore, command: ["sh", "-c", "exit 3"] }, async (cluster) => {
            const [lead] = await cluster.start(0, 1);
            assert.equal((await lead?.ended())?.code, 3);
            assertLeft([await cluster.rank(1).delete()]);
        }));

    const writers: [string, string, number, string][] = [
        [
            "over",
            "echo 'ValueError: learning rate is NaN' >/dev/termination-log; exit 3",
            3,
            "ValueError: learning rate is NaN",
        ],
        ["beside", "printf 'epoch 10 of 10' >>/dev/termination-log", 0, "epoch 10 of 10"],
    ];
    for (const [where, script, code, words] of writers) {
        it(`keeps its times if the command writes its last words ${where} them, and its exit code ${code}`, () =>
            withPods({ size: 1, ...oneCore, command: ["bash", "-c", script] }, async (cluster) => {
                const [lead] = await cluster.start(0);
                const end = await lead?.ended();
                const reason = code === 0 ? "Completed" : "Error";
                const read = readMessage({ exitCode: code, reason, message: end?.message });
                assert.equal(end?.code, code);
                assert.deepEqual(Object.keys(read.marks).sort(), ["ended", "quorum", "started"]);
                assert.equal(read.words, words);
            }));
    }

    it("ends with 143 when its lead gets SIGTERM", () =>
        during(async (cluster, tasks) => {
            assertLeft([await cluster.rank(0).delete()]);
            assert.deepEqual(tasks.of(cluster, 0), []);
        }));

    it("fails when a follower gets SIGTERM and ends with 143", () =>
        during(async (cluster, tasks) => {
            assertLeft([await cluster.rank(1).delete()]);
            // The Job has failed now, so the Job controller ends all other pods.
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
