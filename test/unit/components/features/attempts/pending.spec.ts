import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { OnRankLoss } from "../../../../../components/features/attempts/lossPolicy";
import { Sandbox } from "../../../support/sandbox";

/**
 * A Flux whose jobs are 1, 2, ... Job N is pending while the file `pendingN` exists, and an exception ends it. Job 1 loses
 * a rank if the file `loses` exists. The file `ups` has the numbers of ranks that are up, one for each look. The last one
 * holds for all further looks, and a pending job starts then. `more` answers other commands.
 */
const flux = (more = "") => `
starts() { printf '1.4 alloc\\n1.5 start\\n' >>"$SANDBOX/events$1"; rm -f "$SANDBOX/pending$1"; }
job=$(cat "$SANDBOX/jobs" 2>/dev/null)
case $1.$2 in
${more}
submit.*)
  echo $((++job)) >"$SANDBOX/jobs"
  echo "1 submit userid=0 urgency=16" >"$SANDBOX/events$job"
  [[ -e $SANDBOX/pending$job ]] || starts "$job"
  echo "$job" ;;
resource.list)
  read -r up rest <"$SANDBOX/ups"
  if [[ -n $rest ]]; then echo "$rest" >"$SANDBOX/ups"; elif [[ -e $SANDBOX/pending$job ]]; then starts "$job"; fi
  echo "$up" ;;
getattr.size) echo 4 ;;
job.wait-event) [[ $* == *alloc && ! -e $SANDBOX/pending$5 ]] ;;
job.eventlog) cat "$SANDBOX/events$3" ;;
job.urgency) [[ -e $SANDBOX/pending$3 ]] ;;
job.raise)
  printf '%s\\n' '3 exception type="rank-leaves" severity=0 note="fewer" userid=0' '4 clean' >>"$SANDBOX/events$job"
  rm -f "$SANDBOX/pending$job" ;;
job.attach)
  while [[ -e $SANDBOX/pending$3 ]]; do sleep 0.02; done
  ! grep -q severity=0 "$SANDBOX/events$3" || exit 1
  [[ $3 == 1 && -e $SANDBOX/loses ]] || exit 0
  echo '2 exception type="rank-leaves" severity=1 note="the pod of rank 3 is leaving" userid=0' >>"$SANDBOX/events1"
  exit 143 ;;
esac`;

describe("lead.sh with a pending job", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** Runs the lead of a command that loses a rank in its first job. `ups` are the ranks that are up, at each look. */
    async function run(
        onRankLoss: OnRankLoss,
        pending: readonly number[],
        ups: string,
        more = "",
        args: Partial<PlainArgs> = {},
    ) {
        const sizes = onRankLoss === OnRankLoss.Continue ? { minSize: 2 } : {};
        pod = new Sandbox({ onRankLoss, size: 4, ...sizes, ...args }, 0);
        pending.forEach((job) => pod.write(`pending${job}`, ""));
        pod.write("ups", ups);
        if (!pending.includes(1)) {
            pod.write("loses", "");
        }
        return pod.run("lead", ["x"], { FLUX_STUB: flux(more) });
    }

    /** Nodes, attempt and reason of each job. */
    const jobs = () =>
        pod.calls
            .filter(([, name]) => name === "submit")
            .map((call) => [call[3], ...call.filter((word) => word.startsWith("--env=MINI"))].join(" "))
            .map((words) => words.replaceAll(/--env=\w+=/g, ""));
    const ends = () =>
        pod.calls.filter(([, , name]) => ["raise", "urgency"].includes(name)).map((call) => call.slice(2));
    const marks = () => pod.read("dev/termination-log").match(/^minicluster\.(?:attempts|restarted)=.*$/gm);
    const attempt = (text: string) => `minicluster: attempt 2 of the command ${text}\n`;

    it("waits for an event of the job, not for a time", async () => {
        await run(OnRankLoss.Rerun, [], "4");
        const waits = pod.calls.filter((call) => call.at(-1) === "alloc").map((call) => call.slice(1));
        assert.deepEqual(waits, [
            ["job", "wait-event", "--quiet", "--timeout=3s", "1", "alloc"],
            ["job", "wait-event", "--quiet", "--timeout=3s", "2", "alloc"],
        ]);
    });

    it("tells each number of ranks that are up once, and when the attempt starts", async () => {
        const { code, stderr } = await run(OnRankLoss.Rerun, [2], "3 3 2 2 3 4 4");
        assert.equal(code, 0);
        assert.equal(
            stderr,
            attempt("(rank-loss)") +
                attempt("waits: 3 of 4 ranks are up") +
                attempt("waits: 2 of 4 ranks are up") +
                attempt("waits: 3 of 4 ranks are up") +
                attempt("starts"),
        );
        assert.deepEqual(jobs(), ["4 1 start", "4 2 rank-loss"]);
        assert.deepEqual(ends(), []);
    });

    for (const [what, ups, args] of [
        ["all its ranks are up", "4 4 4", {}],
        ["it has fewer tasks than there are ranks, and enough ranks are up", "3 3 3", { tasks: 2 }],
        ["Flux doesn't tell which ranks are up", "? ? ?", {}],
    ] as const) {
        it(`says nothing about a job that starts late if ${what}`, async () => {
            const { code, stderr } = await run(OnRankLoss.Rerun, [2], ups, "", args);
            assert.deepEqual([code, stderr], [0, attempt("(rank-loss)")]);
        });
    }

    it("fails if another client cancels the job", async () => {
        const cancelled = `job.attach) [[ $3 == 1 ]] || { rm "$SANDBOX/pending2"; exit 1; }
  echo '2 exception type="rank-leaves" severity=1' >>"$SANDBOX/events1"; exit 143 ;;
job.eventlog) cat "$SANDBOX/events$3"; [[ $3 == 1 ]] || printf '%s\\n' '2 exception type="cancel" severity=0 note=""' '3 clean' ;;`;
        const { code } = await run(OnRankLoss.Continue, [2], "4 4 3 2 2", cancelled);
        assert.equal(code, 1);
        assert.deepEqual(jobs(), ["4 1 start", "3 2 rank-loss"]);
        assert.deepEqual(marks(), ["minicluster.attempts=2"]);
    });

    describe("of a command that may go on with fewer ranks", () => {
        const again = ["4 1 start", "3 2 rank-loss", "2 2 rank-loss"];

        it("submits it again for the ranks that are up, as the same attempt", async () => {
            const { code, stderr } = await run(OnRankLoss.Continue, [2], "4 4 3 2 2");
            assert.equal(code, 0);
            assert.deepEqual(jobs(), again);
            assert.equal(stderr, attempt("(rank-loss)") + attempt("is submitted again: 2 of 3 ranks are up"));
            assert.deepEqual(marks(), ["minicluster.attempts=2", "minicluster.restarted=1.5"]);
            assert.equal(pod.read("run/flux/attempt"), "2 0 2 3\n");
        });

        it("holds it before it ends it, so that it doesn't start meanwhile", async () => {
            await run(OnRankLoss.Continue, [2], "4 4 3 2 2");
            const message = "--message=the command goes on with fewer ranks";
            assert.deepEqual(ends(), [
                ["urgency", "2", "hold"],
                ["raise", "--severity=0", "--type=rank-leaves", message, "2"],
            ]);
        });

        it("submits the first job of a pod again, without another wait for ranks that join", async () => {
            const { stderr } = await run(OnRankLoss.Continue, [1, 2], "4 4 3 3 2 2");
            assert.deepEqual(jobs(), ["4 1 start", "3 1 start", "2 1 start"]);
            assert.equal(stderr.match(/^minicluster: attempt 1 of the command is submitted again/gm)?.length, 2);
            assert.deepEqual(marks(), ["minicluster.attempts=1"]);
        });

        it("goes down to minSize only, and then waits", async () => {
            const { stderr } = await run(OnRankLoss.Continue, [2, 3], "4 4 3 1 1 1 1 2");
            assert.deepEqual(jobs(), again);
            assert.equal(
                stderr,
                attempt("(rank-loss)") +
                    attempt("is submitted again: 1 of 3 ranks are up") +
                    attempt("waits: 1 of 2 ranks are up") +
                    attempt("starts"),
            );
        });

        for (const [when, urgency] of [
            ["before it can be held", "exit 1"],
            ["while it is held", "exit 0"],
        ]) {
            it(`keeps a job that starts ${when}`, async () => {
                const { code } = await run(
                    OnRankLoss.Continue,
                    [2],
                    "4 4 3 2 2",
                    `job.urgency) starts 2; ${urgency} ;;`,
                );
                assert.equal(code, 0);
                assert.deepEqual(jobs(), again.slice(0, 2));
                assert.deepEqual(
                    ends().map(([name]) => name),
                    ["urgency"],
                );
            });
        }

        it("counts another attempt if the job gets resources just before its end", async () => {
            const raise = `job.raise) echo '2 alloc' >>"$SANDBOX/events2"
  echo '3 exception type="rank-leaves" severity=0 note="fewer" userid=0' >>"$SANDBOX/events2"; rm "$SANDBOX/pending2" ;;`;
            const { code } = await run(OnRankLoss.Continue, [2], "4 4 3 2 2", raise);
            assert.equal(code, 0);
            assert.deepEqual(jobs(), [...again.slice(0, 2), "2 3 rank-loss"]);
            assert.deepEqual(marks(), ["minicluster.attempts=3", "minicluster.restarted=1.5"]);
        });

        it("starts nothing any more if the pod of the lead leaves meanwhile", async () => {
            pod = new Sandbox({ onRankLoss: OnRankLoss.Continue, size: 4, minSize: 2 }, 0);
            pod.write(
                "bin/sleep",
                '#!/bin/sh\n[ "$1" != infinity ] || : >"$SANDBOX/waits"\nexec /bin/sleep "$@"\n',
                0o755,
            );
            pod.write("pending1", "");
            pod.write("ups", "4 4 3 3");
            pod.write("run/flux/leaving", "");
            const running = pod.start("lead", ["x"], { FLUX_STUB: flux() });
            await pod.until(() => pod.has("waits"), "the wait");
            running.signal("SIGHUP");
            await running.ended;
            assert.deepEqual(jobs(), ["4 1 start"]);
        });
    });
});
