import assert from "node:assert/strict";

import { OnRankLoss } from "flux-minicluster";

import { ChangingCluster } from "./support/changing";
import { doTo } from "./support/podActions";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

/** The first attempt waits for the signal, and the second one ends. */
const PROGRAM = `trap 'echo "saved by $FLUX_TASK_RANK"; exit 0' USR1
echo "attempt $MINICLUSTER_ATTEMPT $MINICLUSTER_ATTEMPT_REASON of $FLUX_TASK_RANK"
: >/tmp/runs
while [ "$MINICLUSTER_ATTEMPT" = 1 ]; do sleep 0.1; done`;

describe("MiniCluster with onRankLoss", () => {
    const namespace = useNamespace();

    it("warns its command before a follower is evicted, starts it again and tells the attempts", async () => {
        const cluster = new ChangingCluster(namespace, "again", {
            size: 2,
            command: ["bash", "-c", PROGRAM],
            onRankLoss: OnRankLoss.Rerun,
            checkpoint: { seconds: 20 },
        });
        const up = cluster.stack.up();
        await until("the command runs on both ranks", async () => {
            const runs = [0, 1].map((rank) => namespace.exec("again", ["test", "-e", "/tmp/runs"], rank));
            return Promise.all(runs).then(
                () => true,
                () => undefined,
            );
        });
        await doTo(namespace, "again", 1, "pod is evicted");
        const { output } = (await up).outputs.cluster;
        const lines = output.split("\n").filter((line: string) => /^(attempt|saved)/.test(line));
        assert.deepEqual(lines.sort(), [
            "attempt 1 start of 0",
            "attempt 1 start of 1",
            "attempt 2 rank-loss of 0",
            "attempt 2 rank-loss of 1",
            "saved by 0",
            "saved by 1",
        ]);
        const { timings } = cluster.child("status")?.outputs ?? {};
        assert.equal(timings.attempts, 2);
        assert.ok(timings.command < timings.restarted && timings.restarted < timings.ended, JSON.stringify(timings));
    });
});
