import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import type { PlainArgs } from "../../../../../components/args";
import { OnRankLoss } from "../../../../../components/features/attempts/lossPolicy";
import { BASH, Sandbox } from "../../../support/sandbox";

describe("notice.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const make = (rank: number, args: Partial<PlainArgs> = {}) =>
        (pod = new Sandbox({ onRankLoss: OnRankLoss.Rerun, ...args }, rank));
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

    it("is missing in the pods of a command that gets no notice", () => {
        make(1, { onRankLoss: OnRankLoss.Fail });
        assert.ok(!pod.has("etc/flux-minicluster/notice.sh"));
    });

    it("tells the lead, drains a follower's rank and waits for the end of the job", async () => {
        make(3).write("run/flux/attempt", "2 0 4 ƒX\n");
        assert.equal((await pod.run("notice")).code, 0);
        assert.deepEqual(pod.calls, [tell(3, "ƒX"), drain(3), wait("ƒX")]);
        assert.ok(pod.has("run/flux/leaving"));
    });

    it("doesn't drain the lead, or a rank whose command isn't started again", async () => {
        make(0).write("run/flux/attempt", "1 0 4 ƒX\n");
        await pod.run("notice");
        assert.deepEqual(pod.calls, [tell(0, "ƒX"), wait("ƒX")]);
        pod.remove();
        make(3, { onRankLoss: OnRankLoss.Fail, checkpoint: {} }).write("run/flux/attempt", "1 0 4 ƒX\n");
        await pod.run("notice");
        assert.deepEqual(pod.calls, [tell(3, "ƒX"), wait("ƒX")]);
    });

    it("only drains a rank on which no attempt has run", async () => {
        make(3);
        assert.equal((await pod.run("notice")).code, 0);
        assert.deepEqual(pod.calls, [drain(3)]);
    });

    it("doesn't wait for an attempt that has ended", async () => {
        make(3).write("run/flux/attempt", "2 0 4 ƒX\n");
        assert.equal((await pod.run("notice", [], { FLUX_STUB: "[ $2 != raise ]" })).code, 0);
        assert.deepEqual(pod.calls, [tell(3, "ƒX"), drain(3)]);
    });

    it("gives the command the time for its checkpoint, and then 8 s for its end", async () => {
        make(3, { checkpoint: { seconds: 60 } }).write("run/flux/attempt", "2 0 4 ƒX\n");
        pod.write("bin/timeout", '#!/bin/sh\necho "$*" >>"$SANDBOX/timeouts"; shift; exec "$@"\n', 0o755);
        await pod.run("notice");
        assert.match(pod.read("timeouts"), /^68 flux job wait-event --quiet ƒX clean$/m);
    });

    it("finds Flux where the start of the pod has found it", async () => {
        make(3).write("opt/bin/flux", '#!/bin/sh\necho "$@" >>"$SANDBOX/found"\n', 0o755);
        pod.write("run/flux/paths.env", `export PATH=${pod.path("opt/bin")}:$PATH\n`);
        await pod.run("notice");
        assert.equal(pod.read("found"), "resource drain 3 the pod is leaving\n");
    });

    describe("at the end of a pod without a preStop hook", () => {
        const script = 'cd "$MINICLUSTER_SCRIPTS"; source ./run.sh; source ./processes.sh; stop_tasks';
        const stopTasks = () => spawnSync(BASH, ["-c", script], { env: pod.variables });

        it("runs before the tasks are ended", () => {
            make(3).write("run/flux/attempt", "2 0 4 ƒX\n");
            assert.equal(stopTasks().status, 0);
            assert.deepEqual(pod.calls, [tell(3, "ƒX"), drain(3), wait("ƒX")]);
            assert.ok(pod.has("run/flux/leaving"));
        });

        it("runs again if the preStop hook had no time to tell the lead", () => {
            make(3).write("run/flux/attempt", "2 0 4 ƒX\n");
            pod.write("run/flux/leaving", "");
            assert.equal(stopTasks().status, 0);
            assert.deepEqual(pod.calls[0], tell(3, "ƒX"));
        });

        it("doesn't run again after the preStop hook", async () => {
            make(3).write("run/flux/attempt", "2 0 4 ƒX\n");
            await pod.run("notice");
            const { length } = pod.calls;
            assert.equal(stopTasks().status, 0);
            assert.equal(pod.calls.length, length);
        });
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
