import assert from "node:assert/strict";

import { Sandbox } from "../../../support/sandbox";

/** A Flux with so many active jobs, of which `flux jobs` lists those that run on the rank. */
const flux = (active: number, ids = "") => `case $1.$2 in
job.raiseall) [[ "$*" == *--force* ]] || echo "flux-job: Command matched ${active} jobs" >&2 ;;
jobs.*) printf '%s\\n' ${ids} ;;
esac`;

const COUNT = ["flux", "job", "raiseall", "--severity=0", "cancel"];

describe("leave.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    it("is missing in the pods of an ephemeral cluster", () => {
        pod = new Sandbox({ command: ["x"] }, 1);
        assert.ok(!pod.has("etc/flux-minicluster/leave.sh"));
    });

    it("finds Flux where the start of the pod has found it", async () => {
        pod = new Sandbox({ command: [] }, 0);
        pod.write("opt/bin/flux", '#!/bin/sh\necho "$@" >>"$SANDBOX/found"\n', 0o755);
        pod.write("run/flux/paths.env", `export PATH=${pod.path("opt/bin")}:$PATH\n`);
        await pod.run("leave");
        assert.equal(pod.read("found"), "job raiseall --severity=0 cancel\n");
    });

    it("doesn't delay the end of a pod if Flux doesn't answer", async () => {
        for (const rank of [0, 3]) {
            pod = new Sandbox({ command: [] }, rank);
            pod.write("bin/timeout", '#!/bin/sh\nshift; exec /usr/bin/timeout 0.1 "$@"\n', 0o755);
            await pod.run("leave", [], { FLUX_STUB: "exec sleep 600" });
            const others = pod.calls.filter((call) => !["drain", "raiseall"].includes(call[2]));
            assert.deepEqual(others, []);
            pod.remove();
        }
    });

    it("notes on each rank that its pod leaves", async () => {
        for (const rank of [0, 3]) {
            pod = new Sandbox({ command: [] }, rank);
            await pod.run("leave", [], { FLUX_STUB: flux(0) });
            assert.ok(pod.has("run/flux/leaving"));
            pod.remove();
        }
    });

    describe("on a follower", () => {
        const drain = ["flux", "resource", "drain", "3", "the pod is leaving"];
        const list = [
            "flux",
            "jobs",
            "--no-header",
            "--count=0",
            "--filter=running",
            "--include=3",
            "--format={id.dec}",
        ];
        const cancel = (id: string) => [
            "flux",
            "job",
            "raise",
            "--severity=0",
            "--type=cancel",
            "--message=the pod is leaving",
            id,
        ];
        const clean = (id: string) => ["flux", "job", "wait-event", "--quiet", id, "clean"];
        /** The calls for one job, after the three for all jobs. The script ends the jobs in parallel. */
        const callsFor = (id: string) => pod.calls.slice(3).filter((call) => call.includes(id));

        it("drains its rank", async () => {
            pod = new Sandbox({ command: [] }, 3);
            assert.equal((await pod.run("leave", [], { FLUX_STUB: flux(0) })).code, 0);
            assert.deepEqual(pod.calls, [drain, COUNT]);
            assert.ok(pod.has("run/flux/leaving"));
        });

        it("fails if its rank can't be drained, which Kubernetes reports as an event", async () => {
            pod = new Sandbox({ command: [] }, 3);
            assert.equal((await pod.run("leave", [], { FLUX_STUB: "exit 4" })).code, 4);
        });

        describe("of a cluster that sizes itself", () => {
            const args = { command: [], elastic: {}, maxSize: 4, resources: { limits: { cpu: "1" } }, size: 1 };
            const look = ["flux", "resource", "drain", "--no-header", "--include=3", "--format={reason}"];
            /** A Flux in which the rank is drained already. */
            const drainedBy = (reason: string) => `case "$*" in
*--include=3*) [[ $1 != resource ]] || echo "${reason}" ;;
*--force\\ --force*) ;;
*resource\\ drain*) exit 1 ;;
esac`;

            it("drains a rank anew that is drained already, so that it isn't undrained while the pod ends", async () => {
                pod = new Sandbox(args, 3);
                const { code } = await pod.run("leave", [], { FLUX_STUB: drainedBy("the pod is leaving") });
                const again = ["flux", "resource", "drain", "--force", "--force", "3", "the pod is leaving"];
                assert.deepEqual([code, pod.calls], [0, [drain, look, again, COUNT]]);
            });

            it("leaves the drain of an administrator as it is", async () => {
                pod = new Sandbox(args, 3);
                const { code } = await pod.run("leave", [], { FLUX_STUB: drainedBy("broken") });
                assert.deepEqual([code, pod.calls], [0, [drain, look, COUNT]]);
            });
        });

        it("cancels no jobs of other ranks", async () => {
            pod = new Sandbox({ command: [] }, 3);
            assert.equal((await pod.run("leave", [], { FLUX_STUB: flux(2) })).code, 0);
            assert.deepEqual(pod.calls, [drain, COUNT, list]);
        });

        it("cancels the jobs that run on its rank and waits for their end", async () => {
            pod = new Sandbox({ command: [] }, 3);
            await pod.run("leave", [], { FLUX_STUB: flux(3, "11 12") });
            assert.deepEqual(pod.calls.slice(0, 3), [drain, COUNT, list]);
            assert.deepEqual(
                ["11", "12"].map(callsFor),
                ["11", "12"].map((id) => [cancel(id), clean(id)]),
            );
        });

        it("waits up to drainTimeout for the running jobs before it cancels them", async () => {
            pod = new Sandbox({ command: [], drainTimeout: 60 }, 3);
            pod.write("bin/timeout", '#!/bin/sh\necho "$*" >>"$SANDBOX/timeouts"; shift; exec "$@"\n', 0o755);
            await pod.run("leave", [], { FLUX_STUB: flux(3, "11 12") });
            assert.deepEqual(
                ["11", "12"].map(callsFor),
                ["11", "12"].map((id) => [clean(id), cancel(id), clean(id)]),
            );
            assert.match(pod.read("timeouts"), /^60 flux job wait-event --quiet 11 clean$/m);
            assert.match(pod.read("timeouts"), /^8 flux job wait-event --quiet 11 clean$/m);
        });

        it("ends when the jobs have ended, and not before", async () => {
            pod = new Sandbox({ command: [] }, 3);
            const waits =
                '[[ $2 != wait-event ]] || { until [[ -e $SANDBOX/clean ]]; do sleep 0.02; done; : >"$SANDBOX/over"; }';
            const running = pod.start("leave", [], { FLUX_STUB: `${flux(1, "11")}\n${waits}` });
            const isOver = running.ended.then(() => pod.has("over"));
            await pod.until(() => pod.calls.filter((call) => call[2] === "wait-event").length > 0, "the wait");
            pod.write("clean", "");
            assert.ok(await isOver);
        });
    });

    describe("on the lead", () => {
        const stop = ["flux", "queue", "stop", "--all", "--nocheckpoint", "--quiet"];
        const idle = ["flux", "queue", "idle", "--quiet"];
        const cancel = [
            "flux",
            "job",
            "raiseall",
            "--force",
            "--severity=0",
            "--states=RUN",
            "cancel",
            "the pod is leaving",
        ];

        it("does nothing if there are no jobs", async () => {
            pod = new Sandbox({ command: [] }, 0);
            assert.equal((await pod.run("leave", [], { FLUX_STUB: flux(0) })).code, 0);
            assert.deepEqual(pod.calls, [COUNT]);
        });

        it("does nothing if Flux doesn't run yet", async () => {
            pod = new Sandbox({ command: [] }, 0);
            assert.equal((await pod.run("leave", [], { FLUX_STUB: "exit 1" })).code, 0);
            assert.deepEqual(pod.calls, [COUNT]);
        });

        it("stops the queue, cancels running jobs and leaves pending jobs in the queue", async () => {
            pod = new Sandbox({ command: [] }, 0);
            assert.equal((await pod.run("leave", [], { FLUX_STUB: flux(10) })).code, 0);
            assert.deepEqual(pod.calls, [COUNT, stop, cancel, idle]);
        });

        it("waits up to drainTimeout for the running jobs before it cancels them", async () => {
            pod = new Sandbox({ command: [], drainTimeout: 60 }, 0);
            await pod.run("leave", [], { FLUX_STUB: flux(1) });
            assert.deepEqual(pod.calls, [COUNT, stop, idle, cancel, idle]);
        });
    });
});
