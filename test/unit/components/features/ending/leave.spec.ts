import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { Sandbox } from "../../../support/sandbox";

/* Without a relay: test/double/podRescue.spec.ts has pods with one. */

/** Words of a Flux that has jobs until the n-th look at them, or until they are cancelled. */
const until = (looks: number | "cancelled", ids = "11 12") =>
    looks === "cancelled"
        ? `[[ ! -e $SANDBOX/cancelled ]] && echo ${ids}`
        : `echo x >>"$SANDBOX/looks"; (($(wc -l <"$SANDBOX/looks") < ${looks})) && echo ${ids}`;

/** A Flux whose answers to a look at running jobs are these words, and that counts pending and running ones. */
const flux = (running: string, active = 1) => `case $1.$2 in
job.raise) : >"$SANDBOX/cancelled" ;;
job.raiseall)
  case "$*" in
  *--force*) : >"$SANDBOX/cancelled" ;;
  *--states=RUNNING*) ids=$(${running}); set -- $ids; echo "flux-job: Command matched $# jobs" >&2 ;;
  *) echo "flux-job: Command matched ${active} jobs" >&2 ;;
  esac ;;
jobs.*) ${running} || : ;;
esac`;
const NONE = flux(":", 0);

describe("leave.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** A pod whose broker runs. */
    const make = async (rank: number, args: Partial<PlainArgs> = {}) => {
        pod = new Sandbox({ command: [], ...args }, rank);
        await pod.listen();
    };
    const leave = (stub: string, words: string[] = [], variables: Record<string, string> = {}) =>
        pod.run("leave", words, { FLUX_STUB: stub, ...variables });

    it("is missing in the pods of a command that gets no notice", () => {
        pod = new Sandbox({ command: ["x"] }, 1);
        assert.ok(!pod.has("etc/flux-minicluster/leave.sh"));
    });

    it("finds Flux where the start of the pod has found it", async () => {
        await make(0);
        const none = 'if [ "$2" = raiseall ]; then echo "flux-job: Command matched 0 jobs" >&2; fi';
        pod.write("opt/bin/flux", `#!/bin/sh\n[ "$1" = relay ] || echo "$@" >>"$SANDBOX/found"\n${none}\n`, 0o755);
        pod.write("run/flux/paths.env", `export PATH=${pod.path("opt/bin")}:$PATH\n`);
        await leave(NONE);
        assert.match(pod.read("found"), /^queue stop --all --nocheckpoint --quiet\n/);
    });

    it("asks nothing if no broker runs", async () => {
        for (const rank of [0, 3]) {
            pod = new Sandbox({ command: [] }, rank);
            assert.equal((await leave(NONE)).code, 0);
            assert.deepEqual(pod.calls, []);
            assert.ok(pod.has("run/flux/leaving"));
            pod.remove();
        }
    });

    it("takes no answer for running jobs, and ends within its part of the grace period", async () => {
        for (const rank of [0, 3]) {
            await make(rank);
            await leave("exec sleep 600", [], { MINICLUSTER_LEAVE_SECONDS: "2" });
            assert.ok(pod.calls.length > 0);
            pod.remove();
        }
    });

    it("tells that it leaves by commands, if there is no relay", async () => {
        await make(3);
        assert.match((await leave(NONE)).stderr, /^minicluster: flux relay doesn't run; this pod leaves by commands/m);
    });

    it("runs the user's hook after its own, also if its own fails", async () => {
        await make(3);
        const words = ["sh", "-c", 'cp "$SANDBOX/calls" "$SANDBOX/before"; echo "$1"; exit 7', "sh", "a b"];
        const { code, stdout } = await leave("[[ $2 != drain ]] || exit 4", words);
        assert.deepEqual([code, stdout], [7, "a b\n"]);
        assert.match(pod.read("before"), /drain/);
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
        const message = ["--severity=0", "--type=cancel", "--message=the pod is leaving"];
        const cancel = (id: string) => ["flux", "job", "raise", ...message, id];

        it("drains its rank", async () => {
            await make(3);
            assert.equal((await leave(NONE)).code, 0);
            assert.deepEqual(pod.calls, [drain, list]);
            assert.ok(pod.has("run/flux/leaving"));
        });

        it("fails if its rank can't be drained, which Kubernetes reports as an event", async () => {
            await make(3);
            assert.equal((await leave("[[ $2 != drain ]] || exit 4")).code, 1);
        });

        describe("of a cluster that sizes itself", () => {
            const args = { elastic: {}, maxSize: 4, resources: { limits: { cpu: "1" } }, size: 1 };
            const look = ["flux", "resource", "drain", "--no-header", "--include=3", "--format={reason}"];
            /** A Flux in which the rank is drained already. */
            const drainedBy = (reason: string) => `case "$*" in
*--include=3*) [[ $1 != resource ]] || echo "${reason}" ;;
*--force\\ --force*) ;;
*resource\\ drain*) exit 1 ;;
esac`;

            it("drains a rank anew that is drained already, so that it isn't undrained while the pod ends", async () => {
                await make(3, args);
                const { code } = await leave(drainedBy("the pod is leaving"));
                const again = ["flux", "resource", "drain", "--force", "--force", "3", "the pod is leaving"];
                assert.deepEqual([code, pod.calls], [0, [drain, look, again, list]]);
            });

            it("leaves the drain of an administrator as it is", async () => {
                await make(3, args);
                const { code } = await leave(drainedBy("broken"));
                assert.deepEqual([code, pod.calls], [0, [drain, look, list]]);
            });
        });

        it("cancels each job that runs on its rank once, and waits for their end", async () => {
            await make(3);
            await leave(flux(until(4)));
            assert.deepEqual(pod.calls, [drain, list, cancel("11"), cancel("12"), list, list, list]);
        });

        it("cancels no job that ends within drainTimeout", async () => {
            await make(3, { drainTimeout: 60 });
            await leave(flux(until(3)));
            assert.deepEqual(pod.calls, [drain, list, list, list]);
        });

        it("cancels the jobs that run longer than drainTimeout", async () => {
            await make(3, { drainTimeout: 1 });
            await leave(flux(until("cancelled")));
            assert.deepEqual(pod.calls.slice(0, 3), [drain, list, list]);
            assert.deepEqual(pod.calls.slice(-3), [cancel("11"), cancel("12"), list]);
        });
    });

    describe("on the lead", () => {
        const look = ["flux", "job", "raiseall", "--severity=0", "--states=RUNNING", "cancel"];
        const stop = ["flux", "queue", "stop", "--all", "--nocheckpoint", "--quiet"];
        const all = ["--force", "--severity=0", "--states=RUN"];
        const cancel = ["flux", "job", "raiseall", ...all, "cancel", "the pod is leaving"];

        it("only stops the queue if there are no jobs", async () => {
            await make(0);
            assert.equal((await leave(NONE)).code, 0);
            assert.deepEqual(pod.calls, [stop, look]);
        });

        it("stops the queue, cancels running jobs and leaves pending jobs in the queue", async () => {
            await make(0);
            assert.equal((await leave(flux(until("cancelled")))).code, 0);
            assert.deepEqual(pod.calls, [stop, look, cancel, look]);
        });

        it("cancels no job that ends within drainTimeout", async () => {
            await make(0, { drainTimeout: 60 });
            await leave(flux(until(3)));
            assert.deepEqual(pod.calls, [stop, look, look, look]);
        });
    });
});
