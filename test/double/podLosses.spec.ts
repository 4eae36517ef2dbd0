import assert from "node:assert/strict";

import { OnRankLoss } from "../../components/features/attempts/lossPolicy";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { fill } from "./support/pods/disks";
import type { Pod, PodEnd } from "./support/pods/pod";
import { MOMENT, takingJob, takings } from "./support/pods/taking";
import { killBroker } from "./support/pods/tasks";

/*
 * A command that is started again when one of its pods leaves. The tests replace the pods as the Job controller does.
 */

const SIZE = 3;
const TOOK = "/dev/shm/took";
const oneCore = { resources: { limits: { cpu: "1" } } };

/** Prints its attempt and waits. At the signal it prints that, and ends as if it had done all its work. */
const COMMAND = [
    "sh",
    "-c",
    'trap "echo saved; exit 0" USR2; echo "attempt $MINICLUSTER_ATTEMPT $MINICLUSTER_ATTEMPT_REASON on $FLUX_JOB_NNODES"; while :; do sleep 0.1; done',
];

/** A memo with words of other events. */
const MEMO = 'flux job memo $FLUX_JOB_ID name=finish status="about to finish now" start=1';

before(provideImage);

describe("command with onRankLoss", function () {
    this.timeout(120_000);
    const command = { size: SIZE, command: COMMAND, onRankLoss: OnRankLoss.Rerun, ...oneCore };

    it("starts again when a follower's pod leaves, and then when the lead's does", () =>
        withPods(command, async (cluster) => {
            await cluster.start(0, 1, 2);
            await says(cluster, "attempt 1 start on 3");
            assertLeft(await cluster.rank(2).delete());
            await says(cluster, "minicluster: attempt 2 of the command waits: 2 of 3 ranks are up");
            await replace(cluster, 2);
            await says(cluster, "minicluster: attempt 2 of the command starts");
            await says(cluster, "attempt 2 rank-loss on 3");
            assertLeft(await cluster.rank(0).delete());
            await cluster.start(0);
            await says(cluster, "attempt 3 lead-loss on 3");
        }));

    it("starts again although its tasks have written memos into the events of their job", () =>
        withPods({ ...command, command: ["sh", "-c", `${MEMO}; ${COMMAND[2]}`] }, async (cluster) => {
            await cluster.start(0, 1, 2);
            await says(cluster, "attempt 1 start on 3");
            assertLeft(await cluster.rank(2).delete());
            await replace(cluster, 2);
            await says(cluster, "attempt 2 rank-loss on 3");
        }));

    it("gets the signal once, and starts again although it then ends with 0", () =>
        withPods({ ...command, checkpoint: { signal: "SIGUSR2", seconds: 20 } }, async (cluster) => {
            await cluster.start(0, 1, 2);
            await says(cluster, "attempt 1 start on 3");
            assertLeft(await cluster.rank(1).delete());
            await replace(cluster, 1);
            await says(cluster, "attempt 2 rank-loss on 3");
            assert.equal(cluster.rank(0).container.output.match(/^saved$/gm)?.length, SIZE);
        }));

    for (const row of takings([]).filter(({ left }) => left.processesLeft !== undefined)) {
        it(`gets the signal although it has taken ${row.what} of the lead's pod`, () => {
            const atSignal = `trap 'echo saved; leave 0' USR2; while :; do ${MOMENT}; done`;
            const words = ["bash", "-c", takingJob(row, TOOK, atSignal)];
            const checkpoint = { signal: "SIGUSR2", seconds: 20 };
            return withPods({ ...command, command: words, checkpoint }, async (cluster) => {
                await cluster.start(0, 1, 2);
                const { container } = cluster.rank(0);
                await cluster.rank(0).exec("sh", "-c", `until [ -e ${TOOK} ]; do sleep 0.1; done`).ended;
                container.limit(row.left);
                assertLeft(await cluster.rank(1).delete());
                container.limit({});
                await replace(cluster, 1);
                await says(cluster, "minicluster: attempt 2 of the command \\(rank-loss\\)");
                assert.equal(container.output.match(/^saved$/gm)?.length, SIZE);
            });
        });
    }

    it("starts again when a follower's pod gets SIGTERM without its preStop hook", () =>
        withPods(command, async (cluster) => {
            await cluster.start(0, 1, 2);
            await says(cluster, "attempt 1 start on 3");
            cluster.rank(1).container.kill("TERM");
            await cluster.rank(0).container.says(/the pod of rank 1 is leaving/);
            assertLeft(await cluster.rank(1).ended());
            await replace(cluster, 1);
            await says(cluster, "attempt 2 rank-loss on 3");
        }));

    it("starts again when a follower's pod is lost without a notice", () =>
        withPods(command, async (cluster) => {
            await cluster.start(0, 1, 2);
            await says(cluster, "attempt 1 start on 3");
            await cluster.rank(1).remove();
            await cluster.rank(0).container.says(/node failure on mc-1/);
            await replace(cluster, 1);
            await says(cluster, "attempt 2 rank-loss on 3");
        }));

    it("fails when a follower's broker is killed, whose disk was full when the attempt started", () =>
        withPods(
            command,
            async (cluster) => {
                await cluster.start(0, 1, 2);
                await says(cluster, "attempt 1 start on 3");
                await cluster.flux("queue", "stop", "--all", "--nocheckpoint", "--quiet");
                assertLeft(await cluster.rank(2).delete());
                await replace(cluster, 2);
                const { container } = cluster.rank(2);
                assert.equal(
                    (await container.exec(["sh", "-c", fill("/run/flux")]).ended).code,
                    0,
                    "the disk is not full",
                );
                await cluster.flux("queue", "start", "--all", "--quiet");
                await says(cluster, "attempt 2 rank-loss on 3");
                assert.equal((await container.exec(["cat", "/run/flux/attempt"]).ended).stdout, "");
                killBroker(cluster, 2);
                const { code } = await cluster.rank(0).ended();
                assert.notEqual(code, 0);
                assert.doesNotMatch(cluster.rank(0).container.output, /attempt 3/);
            },
            { disks: { "/run/flux": "4m" } },
        ));

    it("starts again on the ranks that are up if it may continue", () =>
        withPods({ ...command, onRankLoss: OnRankLoss.Continue, minSize: 2 }, async (cluster) => {
            await cluster.start(0, 1, 2);
            await says(cluster, "attempt 1 start on 3");
            assertLeft(await cluster.rank(2).delete());
            await says(cluster, "attempt 2 rank-loss on 2");
        }));

    for (const [loss, lose] of [
        ["leaves", async (pod: Pod) => assertLeft(await pod.delete())],
        ["is lost without a notice", (pod: Pod) => pod.remove()],
    ] as const) {
        it(`starts again on still fewer ranks if another pod ${loss} before the next attempt starts`, () =>
            withPods({ ...command, onRankLoss: OnRankLoss.Continue, minSize: 1 }, async (cluster) => {
                await cluster.start(0, 1, 2);
                await says(cluster, "attempt 1 start on 3");
                await cluster.flux("queue", "stop", "--all", "--nocheckpoint", "--quiet");
                assertLeft(await cluster.rank(2).delete());
                await says(cluster, "minicluster: attempt 2 of the command \\(rank-loss\\)");
                await until(cluster, ["jobs", "--no-header", "--format={nnodes}"], "2");
                await lose(cluster.rank(1));
                await says(cluster, "minicluster: attempt 2 of the command is submitted again: 1 of 2 ranks are up");
                await cluster.flux("queue", "start", "--all", "--quiet");
                await says(cluster, "attempt 2 rank-loss on 1");
            }));
    }
});

/** Starts the pod that replaces a removed one. Its probe undrains the rank. */
async function replace(cluster: PodCluster, rank: number): Promise<void> {
    const [pod] = await cluster.start(rank);
    await pod.ready();
}

/** Waits until a command of Flux has this output. */
async function until(cluster: PodCluster, command: readonly string[], output: string): Promise<void> {
    while ((await cluster.flux(...command)) !== output) {}
}

function says(cluster: PodCluster, line: string): Promise<void> {
    return cluster.rank(0).container.says(new RegExp(`^${line}$`, "m"));
}

function assertLeft({ code, killed }: PodEnd): void {
    assert.deepEqual({ code, killed }, { code: 143, killed: false });
}
