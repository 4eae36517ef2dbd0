import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { OnRankLoss } from "../../../../../components/features/attempts/lossPolicy";
import { Sandbox } from "../../../support/sandbox";

/** Line of a job's events by which a pod tells that it leaves. */
const NOTICE = '2.5 exception type="rank-leaves" severity=1 note="the pod of rank 2 is leaving" userid=0';
const NODE_FAILURE = '3 exception type="exec" severity=0 userid=0 note="node failure on lammps-2 (rank 2)"';
const EXIT_TIMEOUT =
    '3 exception type="exec" severity=0 note="sh: task rank 2 on host lammps-2.lammps exited (Terminated) and exit-timeout=30s has expired" userid=0';
const START = "1.4 alloc\n1.5 start";
const FINISH = "4 finish status=0";

/** How an attempt ends: the exit code of its job, and the events. */
interface End {
    readonly code: number;
    readonly events: readonly string[];
}

const LEAVES: End = { code: 143, events: [START, NOTICE, FINISH] };
const FAILS: End = { code: 3, events: [START, FINISH] };
const SUCCEEDS: End = { code: 0, events: [START, FINISH] };

/** A job that ends only by an exception. */
const GOES_ON: End = { code: 143, events: [START, NOTICE] };
const UNTIL_RAISED = `job.wait-event)
  [[ $* == *' clean' ]] || exit 0
  cat "$SANDBOX/events$4"
  until [[ $4 != 1 || -e $SANDBOX/raised ]]; do sleep 0.1; done ;;
job.raise) : >"$SANDBOX/raised" ;;
job.attach) until [[ $3 != 1 || -e $SANDBOX/raised ]]; do sleep 0.1; done; exit "$(cat "$SANDBOX/code$3")" ;;
`;

/** The same end of an attempt whose events begin in another way. */
const beginningWith = (begin: readonly string[], { code, events }: End): End => ({
    code,
    events: [...begin, ...events.slice(1)],
});

describe("lead.sh of a command that may start again", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const make = (args: Partial<PlainArgs> = {}) => (pod = new Sandbox({ onRankLoss: OnRankLoss.Rerun, ...args }, 0));

    /** A Flux whose jobs are 1, 2, ... and end as given. `more` answers other commands. */
    const flux = (ends: readonly End[], more = "") => {
        ends.forEach(({ code, events }, index) => {
            pod.write(`events${index + 1}`, `${events.join("\n")}\n`);
            pod.write(`code${index + 1}`, `${code}\n`);
        });
        return `case $1.$2 in
${more}
submit.*) number=$(cat "$SANDBOX/jobs" 2>/dev/null); echo $((number + 1)) >"$SANDBOX/jobs"; echo $((number + 1)) ;;
job.attach) exit "$(cat "$SANDBOX/code$3")" ;;
job.wait-event) [[ $* != *' clean' ]] || cat "$SANDBOX/events$4" ;;
job.eventlog) cat "$SANDBOX/events$3" ;;
esac`;
    };

    const run = (ends: readonly End[], more = "", variables: Record<string, string> = {}) =>
        pod.run("lead", ["/opt/bin/lmp", "-in", "x"], { FLUX_STUB: flux(ends, more), ...variables });

    const submissions = () => pod.calls.filter(([, name]) => name === "submit");
    /** Attempt and reason that each submitted job has in its environment. */
    const attempts = () =>
        submissions().map((call) =>
            call.filter((word) => word.startsWith("--env=")).map((word) => word.replace(/^--env=\w+=/, "")),
        );
    const marks = () =>
        pod
            .read("dev/termination-log")
            .trimEnd()
            .split("\n")
            .filter((line) => /^minicluster\.(?:attempts|restarted)=/.test(line));

    it("runs the command once if nothing happens, with the options of any other command", async () => {
        make();
        assert.equal((await run([SUCCEEDS])).code, 0);
        const [call] = submissions();
        assert.deepEqual(call.slice(2, 7), ["-N", "4", "-n", "4", "--job-name=lmp"]);
        assert.deepEqual(call.slice(call.indexOf("--") + 1), [
            "bash",
            pod.path("etc/flux-minicluster/attempt.sh"),
            pod.path("run/flux/attempt"),
            "1 0 4",
            "bash",
            pod.path("etc/flux-minicluster/task.sh"),
            "/opt/bin/lmp",
            "-in",
            "x",
        ]);
        assert.deepEqual(attempts(), [["1", "start"]]);
        assert.deepEqual(marks(), ["minicluster.attempts=1"]);
        assert.equal(pod.read("run/flux/ended").split("\n")[0], "0");
    });

    it("starts the command again when a pod leaves, and counts each attempt", async () => {
        make();
        const { code, stderr } = await run([LEAVES, LEAVES, SUCCEEDS]);
        assert.equal(code, 0);
        assert.deepEqual(attempts(), [
            ["1", "start"],
            ["2", "rank-loss"],
            ["3", "rank-loss"],
        ]);
        assert.equal(
            stderr,
            "minicluster: attempt 2 of the command (rank-loss)\nminicluster: attempt 3 of the command (rank-loss)\n",
        );
        assert.deepEqual(marks(), ["minicluster.attempts=3", "minicluster.restarted=1.5"]);
    });

    it("starts the command again even if it ended with 0 after its signal", async () => {
        make({ checkpoint: {} });
        assert.equal((await run([{ ...LEAVES, code: 0 }, SUCCEEDS])).code, 0);
        assert.equal(submissions().length, 2);
    });

    it("starts the command again if it ended with 0 after the end of its job", async () => {
        make();
        const ended = '2.6 exception type="rank-leaves" severity=0 note="the command is interrupted" userid=0';
        assert.equal((await run([{ code: 0, events: [START, NOTICE, ended, FINISH] }, SUCCEEDS])).code, 0);
        assert.equal(submissions().length, 2);
    });

    for (const [what, args, more] of [
        ["no checkpoint is given", {}, ""],
        ["Flux has refused the signal", { checkpoint: {} }, "job.kill) exit 1 ;;"],
    ] as const) {
        it(`doesn't start the command again if it ended with 0 after the notice, and ${what}`, async () => {
            make(args);
            assert.equal((await run([{ ...LEAVES, code: 0 }], more)).code, 0);
            assert.equal(submissions().length, 1);
            assert.deepEqual(marks(), ["minicluster.attempts=1"]);
        });
    }

    it("doesn't wait for the end of a job that has got no signal", async () => {
        make({ checkpoint: {} });
        await run([GOES_ON, SUCCEEDS], `${UNTIL_RAISED}job.kill) exit 1 ;;`);
        assert.equal(submissions().length, 2);
    });

    it("doesn't start the command again if the notice came after its end", async () => {
        make();
        assert.equal((await run([{ code: 0, events: [START, FINISH, NOTICE] }])).code, 0);
        assert.equal(submissions().length, 1);
    });

    describe("whose tasks have written a memo, which Flux shows among its events", () => {
        const memos: [string, string][] = [
            ['2.1 memo status="about to finish now"', "the word finish"],
            ["1.1 memo epoch=7 start=1", "the word start"],
            ['2.1 memo name="finish" type="other"', "the name of another event"],
        ];
        for (const [memo, what] of memos) {
            it(`starts the command again when a pod leaves after ${what}`, async () => {
                make();
                const before = memo.startsWith("1.1") ? [memo, START] : [START, memo];
                const lead = await run([LEAVES, LEAVES, SUCCEEDS].map((end) => beginningWith(before, end)));
                assert.equal(lead.code, 0);
                assert.equal(submissions().length, 3);
                assert.deepEqual(marks(), ["minicluster.attempts=3", "minicluster.restarted=1.5"]);
            });
        }

        it("takes no memo for the notice of a pod", async () => {
            make();
            const memo = '2.1 memo type="rank-leaves" severity=0 note="node failure on lammps-2 (rank 2)"';
            assert.equal((await run([{ code: 3, events: [START, memo, FINISH] }])).code, 3);
            assert.equal(submissions().length, 1);
        });
    });

    it("fails with the command's exit code if the command fails", async () => {
        make();
        assert.equal((await run([LEAVES, FAILS])).code, 3);
        assert.equal(pod.read("run/flux/ended").split("\n")[0], "3");
    });

    it("fails if Flux refuses the job", async () => {
        make();
        assert.equal((await run([], "submit.*) exit 4 ;;")).code, 4);
    });

    for (const [what, event] of [
        ["a node failure", NODE_FAILURE],
        ["a task that has ended before the others", EXIT_TIMEOUT],
    ]) {
        const lost: End = { code: 143, events: [START, event, FINISH] };

        it(`starts the command again after ${what} if the pod of the rank is lost`, async () => {
            make().write("bin/sleep", "#!/bin/sh\n", 0o755);
            assert.equal((await run([lost, SUCCEEDS], "exec.*) exit 1 ;;")).code, 0);
            assert.deepEqual(attempts(), [
                ["1", "start"],
                ["2", "rank-loss"],
            ]);
        });

        it(`fails after ${what} if the rank is in its pod, whose disk was too full for the attempt's number`, async () => {
            make().write("bin/sleep", "#!/bin/sh\n", 0o755);
            assert.equal((await run([lost, SUCCEEDS], "exec.*) exit 0 ;;")).code, 143);
            assert.equal(submissions().length, 1);
        });

        it(`fails after ${what} if the rank is in its pod, which remembers the attempt`, async () => {
            make();
            assert.equal((await run([lost], "exec.*) echo 1 0 4 1 ;;")).code, 143);
            assert.equal(submissions().length, 1);
            const [call] = pod.calls.filter(([, name]) => name === "exec");
            assert.deepEqual(call.slice(1), ["exec", "--noinput", "--rank=2", "cat", pod.path("run/flux/attempt")]);
        });
    }

    describe("in the pod that replaces a lost lead", () => {
        const counts = (failures: number, removals: number) => ({
            MINICLUSTER_FAILURES: String(failures),
            MINICLUSTER_REMOVALS: removals === 0 ? "" : String(removals),
        });

        const rows: [string, number, number, string, string[]][] = [
            ["follows the newest attempt that a follower remembers", 0, 1, "4 0 4 9\n3 0 4 8", ["5", "lead-loss"]],
            ["follows Kubernetes' count if no follower remembers an attempt", 0, 2, "", ["3", "lead-loss"]],
            ["tells a failure of the command from a loss", 1, 0, "2 0 4 9", ["3", "failure"]],
            ["tells a loss after a failure from a failure", 1, 1, "2 1 4 9", ["3", "lead-loss"]],
            ["knows a failure without followers", 1, 0, "", ["2", "failure"]],
        ];
        for (const [sentence, failures, removals, remembered, expected] of rows) {
            it(`the number ${sentence}`, async () => {
                make();
                await run([SUCCEEDS], `exec.*) printf '%s\\n' '${remembered}' ;;`, counts(failures, removals));
                assert.deepEqual(attempts(), [expected]);
            });
        }

        it("a command with a checkpoint only has a number too", async () => {
            make({ onRankLoss: OnRankLoss.Fail, checkpoint: {} });
            assert.equal((await run([SUCCEEDS], "exec.*) echo 1 0 0 9 ;;", counts(0, 1))).code, 0);
            assert.deepEqual(attempts(), [["2", "lead-loss"]]);
        });

        it("the command gets as many ranks as before", async () => {
            make({ size: 3, minSize: 1, maxSize: 8 });
            await run([SUCCEEDS], "exec.*) echo 1 0 3 9 ;;\nresource.*) echo 2 ;;", counts(0, 1));
            assert.deepEqual(submissions()[0].slice(2, 4), ["-N", "3"]);
        });
    });

    it("asks no rank for its memory in the first pod of the lead", async () => {
        make();
        await run([SUCCEEDS], "", { MINICLUSTER_FAILURES: "0", MINICLUSTER_REMOVALS: "" });
        assert.deepEqual(
            pod.calls.filter(([, name]) => name === "exec"),
            [],
        );
    });

    it("goes on with the ranks that are up, but not with fewer than minSize", async () => {
        make({ onRankLoss: OnRankLoss.Continue, size: 4, minSize: 2 });
        const up = `resource.*) case $(cat "$SANDBOX/jobs" 2>/dev/null) in '') echo 4 ;; 1) echo 3 ;; *) echo 1 ;; esac ;;`;
        assert.equal((await run([LEAVES, LEAVES, SUCCEEDS], up)).code, 0);
        assert.deepEqual(
            submissions().map((call) => call.slice(2, 6).join(" ")),
            ["-N 4 -n 4", "-N 3 -n 3", "-N 2 -n 2"],
        );
    });

    for (const [up, when, expected] of [
        ["if [[ -e $SANDBOX/slept ]]; then echo 4; else echo 2; fi", "the other ranks join", "-N 4"],
        ["echo 3", "30 s have passed", "-N 3"],
    ]) {
        it(`doesn't start on the quorum alone if it may continue, but waits until ${when}`, async () => {
            make({ onRankLoss: OnRankLoss.Continue, size: 4, minSize: 2 });
            pod.write("bin/sleep", '#!/bin/sh\n: >"$SANDBOX/slept"\n', 0o755);
            await run([SUCCEEDS], `resource.*) ${up} ;;\ngetattr.size) echo 4 ;;`);
            assert.equal(submissions()[0].slice(2, 4).join(" "), expected);
        });
    }

    it("waits with the next attempt for as many ranks as the first one had, if the size can change", async () => {
        make({ size: 3, minSize: 1, maxSize: 8 });
        const up = `resource.*) [[ -e $SANDBOX/jobs ]] && echo 2 || echo 3 ;;`;
        await run([LEAVES, SUCCEEDS], up);
        assert.deepEqual(
            submissions().map((call) => call.slice(2, 4).join(" ")),
            ["-N 3", "-N 3"],
        );
    });

    it("starts no program to drain the rank that leaves, because its pod has drained it", async () => {
        make({ checkpoint: {} });
        await run([LEAVES, SUCCEEDS]);
        const names = pod.calls.map((call) => call[2]).filter((name) => ["drain", "raise"].includes(name));
        assert.deepEqual(names, ["raise"]);
    });

    it("ends the job without a signal if no checkpoint is given", async () => {
        make();
        await run([LEAVES, SUCCEEDS]);
        const [raise] = pod.calls.filter((call) => call[2] === "raise");
        assert.deepEqual(raise.slice(3), [
            "--severity=0",
            "--type=rank-leaves",
            "--message=the command is interrupted",
            "1",
        ]);
        assert.deepEqual(
            pod.calls.filter((call) => call[2] === "kill"),
            [],
        );
    });

    it("sends the signal once, and ends the job after the time that the command has", async () => {
        make({ checkpoint: { signal: "SIGUSR2", seconds: 1 } });
        await run([GOES_ON, SUCCEEDS], UNTIL_RAISED);
        const heeded = pod.calls.filter((call) => ["kill", "raise"].includes(call[2]));
        assert.deepEqual(
            heeded.map((call) => call.slice(2).filter((word) => !word.startsWith("--message"))),
            [
                ["kill", "--signal=SIGUSR2", "1"],
                ["raise", "--severity=0", "--type=rank-leaves", "1"],
            ],
        );
    });

    describe("with a checkpoint only", () => {
        for (const [code, expected] of [
            [0, 143],
            [9, 9],
        ]) {
            it(`fails with ${expected} if the command ends with ${code} after the notice`, async () => {
                make({ onRankLoss: OnRankLoss.Fail, checkpoint: {} });
                assert.equal((await run([{ ...LEAVES, code }])).code, expected);
                assert.equal(submissions().length, 1);
            });
        }
    });

    it("waits for the end of its own pod instead of another attempt", async () => {
        make();
        pod.write("bin/sleep", '#!/bin/sh\n: >"$SANDBOX/waits"\nexec /bin/sleep "$@"\n', 0o755);
        pod.write("run/flux/leaving", "");
        const running = pod.start("lead", ["x"], { FLUX_STUB: flux([LEAVES]) });
        await pod.until(() => pod.has("waits"), "the wait");
        running.signal("SIGHUP");
        await running.ended;
        assert.equal(submissions().length, 1);
        assert.ok(!pod.has("run/flux/ended"));
    });
});
