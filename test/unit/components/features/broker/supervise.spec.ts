import assert from "node:assert/strict";
import { rmSync } from "node:fs";

import { Sandbox } from "../../../support/sandbox";

/** A broker whose runs exit with these codes one after the other, and then always with the last one. */
const codes = (...list: number[]) => `
count=$(($(cat "$SANDBOX/count" 2>/dev/null || echo 0) + 1)); echo "$count" >"$SANDBOX/count"
codes=(${list.join(" ")}); exit "\${codes[count - 1]:-\${codes[-1]}}"`;

/** A broker that prints the signal that it gets, and takes a moment to shut down in order. */
const broker = (code: number) => `
trap 'echo got TERM; sleep 0.2; exit ${code}' TERM; trap 'echo got INT; exit ${code}' INT; trap 'echo got HUP; exit ${code}' HUP
: >"$SANDBOX/up"; while :; do sleep 0.05; done`;

/** A `sleep` that takes 20 ms in place of so many seconds. */
const shortSleep = (seconds: string) =>
    `#!/bin/sh\n[ "$1" != ${seconds} ] || exec /bin/sleep 0.02\nexec /bin/sleep "$1"\n`;

/** What lead.sh does when the command has ended. */
const ended = (code: number) => `echo ${code} >"$MINICLUSTER_RUN/ended";`;

/** Lets a broker wait by `read -t`, without child processes. */
const CHILDLESS = 'mkfifo "$SANDBOX/nothing"; exec 3<>"$SANDBOX/nothing"; rm "$SANDBOX/nothing";';

describe("supervise.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ command: [] });
        // As wait.sh does before it passes on a signal.
        pod.write("run/flux/stopped", "yes\n");
    });
    afterEach(() => pod.remove());

    /** What stay.sh does when the broker sends it SIGHUP. */
    const leaves = (file: string, text = "") =>
        `: >"$MINICLUSTER_RUN/ready"; echo "${text}" >"$MINICLUSTER_RUN/${file}";`;
    const run = (restart: string, stub: string, variables: Record<string, string> = {}) =>
        pod.start("supervise", [restart, "flux", "broker", "two words"], { FLUX_STUB: stub, ...variables });

    it("runs the broker with all words of its command", async () => {
        await run("never", "exit 0").ended;
        assert.deepEqual(pod.calls, [["flux", "broker", "two words"]]);
    });

    for (const code of [0, 3, 137]) {
        it(`exits with ${code} as the command did, even if lead.sh has killed the broker`, async () => {
            assert.equal((await run("never", `${ended(code)} exit ${code}`).ended).code, code);
            const killed = await run("never", `${ended(code)} kill -KILL "$$"`).ended;
            assert.deepEqual([killed.code, killed.stderr], [code, ""]);
        });
    }

    it("says nothing about the bytes of a program's last words", async () => {
        pod.write("run/flux/report", "minicluster.quorum=1.5\n");
        pod.write("dev/termination-log", "a\0b");
        assert.deepEqual(await run("never", `${ended(0)} exit 0`).ended, { code: 0, stdout: "", stderr: "" });
        assert.equal(pod.read("dev/termination-log"), "minicluster.quorum=1.5\nab\n");
    });

    it("repeats the reports if a program has written its last words over them, and only then", async () => {
        const reports = "minicluster.quorum=1.5\nminicluster.started=2.5\n";
        pod.write("run/flux/report", reports);
        pod.write("dev/termination-log", reports);
        await run("never", `${ended(0)} exit 0`).ended;
        assert.equal(pod.read("dev/termination-log"), reports);
        pod.write("dev/termination-log", "ValueError: NaN");
        await run("never", `${ended(3)} exit 3`).ended;
        assert.equal(pod.read("dev/termination-log"), `${reports}ValueError: NaN\n`);
    });

    it("fails if the broker exits with 0 before the command has ended, as it was stopped", async () => {
        const { code, stderr } = await run("never", "exit 0").ended;
        assert.deepEqual([code, stderr], [143, "minicluster: the broker ended with 0 before the command had ended\n"]);
    });

    it("tells that the broker has ended before the command, if a module has failed", async () => {
        const { code, stderr } = await run("never", "exit 1").ended;
        assert.deepEqual([code, stderr], [1, "minicluster: the broker ended with 1 before the command had ended\n"]);
    });

    it("passes the user's exported variables to each broker, whatever their names", async () => {
        const text = pod.read("etc/flux-minicluster/supervise.sh");
        const own = /^(?:mc_|MINICLUSTER_|SECONDS$)/;
        const names = [...text.matchAll(/\b([A-Za-z_]\w*)=/g)]
            .map(([, name]) => name)
            .filter((name) => !own.test(name));
        const theirs = Object.fromEntries(
            ["restart", "delay", "child", "code", "stopped", "started", ...names].map((name) => [name, "a user's"]),
        );
        run(
            "always",
            `env >"$SANDBOX/env$((1 + $(ls "$SANDBOX" | grep -c ^env)))"; [[ ! -e $SANDBOX/env2 ]] || exec sleep 600`,
            theirs,
        );
        await pod.until(() => pod.has("env2") && pod.read("env2").includes("SANDBOX="), "a second broker");
        for (const life of ["env1", "env2"]) {
            const changed = Object.keys(theirs).filter(
                (name) => !pod.read(life).split("\n").includes(`${name}=a user's`),
            );
            assert.deepEqual(changed, [], life);
        }
    });

    it("doesn't restart a lead that never had its quorum, which a restart would not bring", async () => {
        assert.equal((await run("failure", codes(1, 0)).ended).code, 1);
        assert.equal(pod.calls.length, 1);
    });

    it("exits with 0 after flux shutdown of a broker that it restarted", async () => {
        const { code, stderr } = await run("failure", `${leaves("shutdown")} ${codes(1, 76)}`).ended;
        assert.equal(code, 0);
        assert.equal(pod.calls.length, 2);
        assert.equal(stderr, "minicluster: broker ended with 1, restarting it in 200 ms\n");
    });

    it("makes the lead's broker of a persistent cluster tell flux shutdown by its exit code", async () => {
        await run("failure", "exit 1").ended;
        const own = ["-Sbroker.exit-norestart=76", "-Sbroker.module-nopanic=0"];
        assert.deepEqual(pod.calls, [["flux", "broker", ...own, "two words"]]);
    });

    for (const [what, stub] of [
        ["exits with 0", `${leaves("shutdown")} ${codes(0, 76)}`],
        ["gets a signal and exits with 1", `${leaves("shutdown")} ${codes(1, 76)}`],
        [
            "exits with the code of flux shutdown after a module has failed",
            `[[ ! -e $SANDBOX/count ]] || { ${leaves("shutdown")} }; ${codes(76, 76)}`,
        ],
    ] as const) {
        it(`restarts the lead of a persistent cluster if its broker ${what}`, async () => {
            pod.write("run/flux/ready", "");
            assert.equal((await run("failure", stub).ended).code, 0);
            assert.equal(pod.calls.length, 2);
        });
    }

    it("forgets a shutdown that didn't end the broker", async () => {
        const stub = `[[ -e $SANDBOX/count ]] || { ${leaves("shutdown")} }; ${codes(1, 76)}`;
        assert.equal((await run("failure", stub).ended).code, 1);
        assert.equal(pod.calls.length, 4);
    });

    for (const code of [0, 76]) {
        it(`fails if a lead without its quorum exits with ${code}`, async () => {
            assert.equal((await run("failure", `exit ${code}`).ended).code, 1);
        });
    }

    it("fails with the name of a module that fails in each of three brokers", async () => {
        const { code } = await run("failure", `${leaves("failure", "sched-simple module runtime failure")} exit 76`)
            .ended;
        assert.equal(code, 1);
        assert.equal(pod.calls.length, 3);
        const said =
            "the lead's broker has ended 3 times in a row: sched-simple module runtime failure; a job in the queue may be the cause";
        assert.equal(pod.read("dev/termination-log"), `minicluster.error=${said}\n`);
    });

    for (const restart of ["never", "failure"]) {
        it(`ignores a signal that doesn't come from the pod, as a job's \`pkill bash\` (${restart})`, async () => {
            rmSync(pod.path("run/flux/stopped"));
            const stub = `trap 'echo got TERM' TERM; for signal in TERM HUP INT QUIT; do kill -s "$signal" "$PPID"; sleep 0.1; done; exit 3`;
            const { code, stdout } = await run(restart, stub).ended;
            assert.deepEqual([code, stdout], [3, ""]);
        });
    }

    it("gives up a lead that had its quorum and doesn't reach it again, which a new pod may", async () => {
        pod.write("run/flux/ready", "");
        const { code, stderr } = await run("failure", codes(137, 1)).ended;
        assert.equal(code, 1);
        assert.deepEqual(stderr.match(/in \d+ ms/g), ["in 200 ms", "in 400 ms", "in 800 ms"]);
        const said =
            "the lead's broker has ended 3 times in a row without its quorum; its log has the reason, a job in the queue may be the cause";
        assert.equal(pod.read("dev/termination-log"), `minicluster.error=${said}\n`);
    });

    it("restarts a lead after 200 ms each time that it had its quorum", async () => {
        const { stderr } = await run("failure", `${leaves("shutdown")} ${codes(137, 137, 137, 76)}`).ended;
        assert.deepEqual(stderr.match(/in \d+ ms/g), ["in 200 ms", "in 200 ms", "in 200 ms"]);
    });

    it("restarts a follower after 200 ms if it ran for more than 4 s", async function () {
        this.slow(20_000);
        const running = run("always", "sleep 4.2; exit 1");
        await pod.until(() => running.stderr.includes("ms"), "an end");
        await pod.until(() => running.stderr.split("ms").length > 2, "another end");
        running.signal("SIGTERM");
        await running.ended;
        assert.deepEqual(running.stderr.match(/in \d+ ms/g)?.slice(0, 2), ["in 200 ms", "in 200 ms"]);
    });

    it("restarts a follower whatever its exit code, and waits longer each time", async () => {
        const running = run("always", codes(0, 1, 143, 0));
        await pod.until(() => pod.calls.length >= 4, "four starts");
        running.signal("SIGTERM");
        assert.notEqual((await running.ended).code, 0);
        assert.deepEqual(running.stderr.match(/in \d+ ms/g)?.slice(0, 3), ["in 200 ms", "in 400 ms", "in 800 ms"]);
    });

    it("restarts followers of an ephemeral cluster after 3 s, as most end with the command", async () => {
        const running = run("always", "exit 0", { MINICLUSTER_MODE: "ephemeral" });
        await pod.until(() => running.stderr.includes("ms"), "a restart");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.match(running.stderr, /restarting it in 3000 ms/);
    });

    it("keeps bash's message about a broker that was killed", async () => {
        const { code, stderr } = await run("never", 'kill -KILL "$$"').ended;
        assert.equal(code, 137);
        assert.equal(stderr, "minicluster: the broker ended with 137 before the command had ended\n");
    });

    it("handles a signal that arrives between two starts", async () => {
        for (let times = 0; times < 20; times++) {
            const running = run("always", "exit 0", { MINICLUSTER_MODE: "ephemeral" });
            running.signalAt("restarting it", "SIGTERM");
            const { code, stderr } = await running.ended;
            assert.equal(code, 143);
            assert.match(stderr, /^minicluster: broker ended with 0, restarting it in 3000 ms\n$/);
        }
    });

    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const) {
        it(`passes ${signal} on as SIGTERM and waits until the broker has ended`, async () => {
            const running = run("failure", broker(9));
            await pod.until(() => pod.has("up"), "the broker");
            running.signal(signal);
            const { code, stdout } = await running.ended;
            assert.deepEqual([code, stdout], [143, "got TERM\n"]);
        });
    }

    for (const restart of ["failure", "always"]) {
        it(`exits with 143 when it is stopped, even if the broker exits with 0 (${restart})`, async () => {
            const running = run(restart, broker(0));
            await pod.until(() => pod.has("up"), "the broker");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            assert.equal(pod.calls.length, 1);
        });
    }

    it("exits with 143 when a lead is stopped before its command's end, even if the broker exits with 0", async () => {
        const running = run("never", broker(0));
        await pod.until(() => pod.has("up"), "the broker");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
    });

    it("repeats the signal until a broker has loaded its modules and handles it", async () => {
        pod.write("bin/sleep", shortSleep("1"), 0o755);
        const third = "count=0; trap 'echo x >>\"$SANDBOX/heard\"; ((++count < 3)) || exit 0' TERM";
        const running = run("failure", `${CHILDLESS} ${third}; : >"$SANDBOX/up"; while :; do read -rt 0.05 -u 3; done`);
        await pod.until(() => pod.has("up"), "the broker");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.equal(pod.read("heard"), "x\nx\nx\n");
    });

    it("doesn't repeat the signal while a broker has children, whose work it would abort", async () => {
        const running = run(
            "always",
            `${CHILDLESS} trap 'echo x >>"$SANDBOX/heard"' TERM; sleep 600 >/dev/null 2>&1 &
: >"$SANDBOX/up"; until [[ -e $SANDBOX/heard ]]; do read -rt 0.05 -u 3; done; read -rt 1.5 -u 3; exit 0`,
        );
        await pod.until(() => pod.has("up"), "the broker");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.equal(pod.read("heard"), "x\n");
    });

    for (const mark of ["quorum", "ready"]) {
        it(`signals a lead with quorum only once, as a second signal aborts the clean-up (mark: ${mark})`, async () => {
            pod.write(`run/flux/${mark}`, "");
            pod.write("bin/sleep", shortSleep("1"), 0o755);
            const running = run(
                "failure",
                `trap 'echo x >>"$SANDBOX/heard"' TERM; : >"$SANDBOX/up"
until [[ -e $SANDBOX/heard ]]; do sleep 0.05; done; sleep 0.5`,
            );
            await pod.until(() => pod.has("up"), "the broker");
            running.signal("SIGTERM");
            await pod.until(() => pod.has("heard"), "the first signal");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            assert.equal(pod.read("heard"), "x\n");
        });
    }

    it("doesn't signal a lead whose command has ended, as that would change its exit code", async () => {
        pod.write("run/flux/ended", "0\n");
        const stub = "trap 'exit 129' TERM; kill -s TERM \"$PPID\"; for tenth in 1 2 3; do sleep 0.1; done";
        assert.equal((await run("never", stub).ended).code, 0);
    });

    it("starts no other broker in a pod that is leaving, and waits for the pod's signal", async () => {
        pod.write("bin/sleep", '#!/bin/sh\necho "$1" >>"$SANDBOX/pauses"; exec /bin/sleep "$1"\n', 0o755);
        const running = run("always", ': >"$MINICLUSTER_RUN/leaving"');
        await pod.until(() => pod.has("pauses") && pod.read("pauses").split("\n").length > 2, "two pauses");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.equal(pod.calls.length, 1);
    });

    it("ends at once when it is stopped between two brokers", async () => {
        // A pause that would never end.
        pod.write("bin/sleep", '#!/bin/sh\n[ "$1" = 1 ] && exec /bin/sleep 1\nexec /bin/sleep 100000\n', 0o755);
        const running = run("always", "exit 0", { MINICLUSTER_MODE: "ephemeral" });
        await pod.until(() => running.stderr.includes("ms"), "a restart");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.equal(pod.calls.length, 1);
    });

    it("exits with 143 when it is stopped, whatever the broker's exit code", async () => {
        for (const code of [1, 129]) {
            const running = run("never", broker(code).replace("/up", `/up.${code}`));
            await pod.until(() => pod.has(`up.${code}`), "the broker");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            rmSync(pod.path("run/flux/leaving"));
        }
    });

    describe("with a post hook", () => {
        beforeEach(() => pod.write("etc/flux-minicluster/hook-post.sh", 'echo post >>"$SANDBOX/post"; exit 5\n'));

        it("runs it after the broker has ended, and keeps the broker's exit code", async () => {
            assert.equal((await run("never", "exit 3").ended).code, 3);
            assert.equal(pod.read("post"), "post\n");
        });

        it("runs it only after the last broker", async () => {
            await run("failure", `${leaves("shutdown")} ${codes(1, 76)}`).ended;
            assert.equal(pod.read("post"), "post\n");
        });

        it("runs it when the pod is stopped", async () => {
            const running = run("always", broker(0));
            await pod.until(() => pod.has("up"), "the broker");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            assert.equal(pod.read("post"), "post\n");
        });
    });
});
