import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import type { PlainArgs } from "../../../../../components/args";
import { OnRankLoss } from "../../../../../components/features/attempts/lossPolicy";
import { BASH, Sandbox } from "../../../support/sandbox";

describe("notice.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** A pod whose broker runs, without a relay: test/double/podLosses.spec.ts has pods with one. */
    const make = async (rank: number, args: Partial<PlainArgs> = {}) => {
        pod = new Sandbox({ onRankLoss: OnRankLoss.Rerun, ...args }, rank);
        await pod.listen();
        return pod;
    };
    const leave = (stub = "") => pod.run("leave", [], { FLUX_STUB: stub });
    /** The calls in the order of their texts: the drain runs beside the others. */
    const sorted = (calls: readonly (readonly string[])[]) => calls.map((call) => call.join(" ")).sort();
    const drain = (rank: number) => ["flux", "resource", "drain", String(rank), "the pod is leaving"];
    const tell = (rank: number, job: string) => [
        "flux",
        "job",
        "raise",
        "--severity=1",
        "--type=rank-leaves",
        `--message=the pod of rank ${rank} is leaving`,
        job,
    ];
    const wait = (job: string) => ["flux", "job", "wait-event", "--quiet", job, "clean"];

    it("is missing in the pods of a command that gets no notice", async () => {
        await make(1, { onRankLoss: OnRankLoss.Fail });
        assert.ok(!pod.has("etc/flux-minicluster/notice.sh"));
    });

    it("tells the lead, drains a follower's rank and waits for the end of the job", async () => {
        (await make(3)).write("run/flux/attempt", "2 0 4 ƒX\n");
        assert.equal((await leave()).code, 0);
        assert.deepEqual(sorted(pod.calls), sorted([tell(3, "ƒX"), drain(3), wait("ƒX")]));
        assert.ok(pod.has("run/flux/leaving"));
    });

    it("doesn't drain the lead, or a rank whose command isn't started again", async () => {
        (await make(0)).write("run/flux/attempt", "1 0 4 ƒX\n");
        await leave();
        assert.deepEqual(pod.calls, [tell(0, "ƒX"), wait("ƒX")]);
        pod.remove();
        (await make(3, { onRankLoss: OnRankLoss.Fail, checkpoint: {} })).write("run/flux/attempt", "1 0 4 ƒX\n");
        await leave();
        assert.deepEqual(pod.calls, [tell(3, "ƒX"), wait("ƒX")]);
    });

    it("only drains a rank on which no attempt has run", async () => {
        await make(3);
        assert.equal((await leave()).code, 0);
        assert.deepEqual(pod.calls, [drain(3)]);
    });

    it("doesn't wait for an attempt that has ended", async () => {
        (await make(3)).write("run/flux/attempt", "2 0 4 ƒX\n");
        assert.equal((await leave("[ $2 != raise ]")).code, 0);
        assert.deepEqual(sorted(pod.calls), sorted([tell(3, "ƒX"), drain(3)]));
    });

    it("gets the time of the checkpoint, and a part of the rest of the grace period", async () => {
        await make(3, { checkpoint: { seconds: 60 } });
        assert.equal(pod.variables["MINICLUSTER_LEAVE_SECONDS"], "72");
    });
});

describe("attempt.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const run = (task: string, ...command: string[]) => {
        pod = new Sandbox({ onRankLoss: OnRankLoss.Rerun }, 1);
        const words = [pod.path("etc/flux-minicluster/attempt.sh"), pod.path("run/flux/attempt"), "2 0 4", ...command];
        const env = { PATH: "/usr/bin:/bin", FLUX_JOB_ID: "ƒX", FLUX_TASK_LOCAL_ID: task };
        return spawnSync(BASH, words, { encoding: "utf8", env });
    };

    it("notes the attempt and its job, and becomes the task", () => {
        const { status, stdout } = run("0", "sh", "-c", 'printf "<%s>" "$@"; exit 6', "sh", "a b", "", "*");
        assert.deepEqual([status, stdout], [6, "<a b><><*>"]);
        assert.equal(pod.read("run/flux/attempt"), "2 0 4 ƒX\n");
    });

    it("leaves that to the first task of its rank", () => {
        assert.equal(run("1", "true").status, 0);
        assert.ok(!pod.has("run/flux/attempt"));
    });
});
