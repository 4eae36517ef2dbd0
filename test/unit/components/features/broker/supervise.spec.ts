import assert from "node:assert/strict";

import { Sandbox } from "../../../support/sandbox";

/** Ends with a code of its own the first time, and so on; then as the last one. */
const codes = (...list: number[]) => `
count=$(($(cat "$SANDBOX/count" 2>/dev/null || echo 0) + 1)); echo "$count" >"$SANDBOX/count"
codes=(${list.join(" ")}); exit "\${codes[count - 1]:-\${codes[-1]}}"`;

/** A broker that takes a moment to shut down in order, and says so. */
const broker = (code: number) => `
trap 'echo got TERM; sleep 0.2; exit ${code}' TERM; trap 'echo got INT; exit ${code}' INT; trap 'echo got HUP; exit ${code}' HUP
: >"$SANDBOX/up"; while :; do sleep 0.05; done`;

/** A `sleep` for which so many seconds are a moment. */
const shortSleep = (seconds: string) =>
    `#!/bin/sh\n[ "$1" != ${seconds} ] || exec /bin/sleep 0.02\nexec /bin/sleep "$1"\n`;

/** For a broker that waits without children, by `read -t`. */
const CHILDLESS = 'mkfifo "$SANDBOX/nothing"; exec 3<>"$SANDBOX/nothing"; rm "$SANDBOX/nothing";';

describe("supervise.sh", () => {
    let pod: Sandbox;

    beforeEach(() => (pod = new Sandbox({ command: [] })));
    afterEach(() => pod.remove());

    const run = (restart: string, stub: string, variables: Record<string, string> = {}) =>
        pod.start("supervise", [restart, "flux", "broker", "two words"], { FLUX_STUB: stub, ...variables });

    it("runs the command with its words", async () => {
        await run("never", "exit 0").ended;
        assert.deepEqual(pod.calls, [["flux", "broker", "two words"]]);
    });

    for (const code of [0, 3, 137]) {
        it(`ends with ${code} as the broker does where it never restarts`, async () => {
            assert.equal((await run("never", `: >"$MINICLUSTER_RUN/ended"; exit ${code}`).ended).code, code);
        });
    }

    it("is no success where a broker ends with 0 before the command has: somebody else has stopped it", async () => {
        const { code, stderr } = await run("never", "exit 0").ended;
        assert.deepEqual([code, stderr], [143, "minicluster: the broker ended before the command\n"]);
    });

    it("gives the broker what a user has exported, whatever its name is", async () => {
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

    it("ends as a lead does that never had its quorum: trying again would not bring it", async () => {
        assert.equal((await run("failure", codes(1, 0)).ended).code, 1);
        assert.equal(pod.calls.length, 1);
    });

    it("ends with 0 where a broker that is restarted after failures ends with 0", async () => {
        pod.write("run/flux/ready", "");
        const { code, stderr } = await run("failure", codes(1, 0)).ended;
        assert.equal(code, 0);
        assert.equal(pod.calls.length, 2);
        assert.equal(stderr, "minicluster: broker ended with 1, starting it again in 200 ms\n");
    });

    it("gives a lead up that had its quorum and doesn't get it again: a new pod may", async () => {
        pod.write("run/flux/ready", "");
        const { code, stderr } = await run("failure", codes(137, 1)).ended;
        assert.equal(code, 1);
        assert.deepEqual(stderr.match(/in \d+ ms/g), ["in 200 ms", "in 400 ms", "in 800 ms"]);
    });

    it("starts a lead again at once each time that it had its quorum", async () => {
        const { stderr } = await run("failure", `: >"$MINICLUSTER_RUN/ready"; ${codes(137, 137, 137, 0)}`).ended;
        assert.deepEqual(stderr.match(/in \d+ ms/g), ["in 200 ms", "in 200 ms", "in 200 ms"]);
    });

    it("starts a follower again at once that has lived", async function () {
        this.timeout(30_000).slow(20_000);
        const running = run("always", "sleep 4.2; exit 1");
        await pod.until(() => running.stderr.includes("ms"), "an end");
        await pod.until(() => running.stderr.split("ms").length > 2, "another end");
        running.signal("SIGTERM");
        await running.ended;
        assert.deepEqual(running.stderr.match(/in \d+ ms/g)?.slice(0, 2), ["in 200 ms", "in 200 ms"]);
    });

    it("starts a follower again whatever it ends with, and waits longer each time", async () => {
        const running = run("always", codes(0, 1, 143, 0));
        await pod.until(() => pod.calls.length >= 4, "four starts");
        running.signal("SIGTERM");
        assert.notEqual((await running.ended).code, 0);
        assert.deepEqual(running.stderr.match(/in \d+ ms/g)?.slice(0, 3), ["in 200 ms", "in 400 ms", "in 800 ms"]);
    });

    it("takes its time with the followers of a command, which mostly end with it", async () => {
        const running = run("always", "exit 0", { MINICLUSTER_MODE: "ephemeral" });
        await pod.until(() => running.stderr.includes("ms"), "a restart");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.match(running.stderr, /starting it again in 3000 ms/);
    });

    it("leaves bash's word of a broker that was killed", async () => {
        const { code, stderr } = await run("never", 'kill -KILL "$$"').ended;
        assert.equal(code, 137);
        assert.match(stderr, /Killed/);
    });

    it("hears a signal in the moment between two starts", async () => {
        for (let times = 0; times < 20; times++) {
            const running = run("always", "exit 0", { MINICLUSTER_MODE: "ephemeral" });
            running.signalAt("starting it again", "SIGTERM");
            const { code, stderr } = await running.ended;
            assert.equal(code, 143);
            assert.match(stderr, /^minicluster: broker ended with 0, starting it again in 3000 ms\n$/);
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
        it(`is no success when it is stopped (${restart}), though the broker ends in order`, async () => {
            const running = run(restart, broker(0));
            await pod.until(() => pod.has("up"), "the broker");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            assert.equal(pod.calls.length, 1);
        });
    }

    it("takes a lead that is stopped before its command has ended for failed, though its broker exits 0", async () => {
        const running = run("never", broker(0));
        await pod.until(() => pod.has("up"), "the broker");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
    });

    it("takes flux shutdown for a success, which the broker calls a failure", async () => {
        pod.write("run/flux/shutdown", "");
        assert.equal((await run("failure", "exit 1").ended).code, 0);
    });

    it("repeats the signal until a broker has loaded its modules and hears it", async () => {
        pod.write("bin/sleep", shortSleep("1"), 0o755);
        const third = "count=0; trap 'echo x >>\"$SANDBOX/heard\"; ((++count < 3)) || exit 0' TERM";
        const running = run("failure", `${CHILDLESS} ${third}; : >"$SANDBOX/up"; while :; do read -rt 0.05 -u 3; done`);
        await pod.until(() => pod.has("up"), "the broker");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.equal(pod.read("heard"), "x\nx\nx\n");
    });

    it("doesn't repeat it while a broker has children: it would abort what they do", async () => {
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
        it(`tells a lead once that has its quorum (${mark}): a second signal would abort its clean-up`, async () => {
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

    it("lets a lead end whose command has ended: a signal would change its exit code", async () => {
        pod.write("run/flux/ended", "");
        const stub = "trap 'exit 129' TERM; kill -s TERM \"$PPID\"; for tenth in 1 2 3; do sleep 0.1; done";
        assert.equal((await run("never", stub).ended).code, 0);
    });

    it("starts no other broker in a pod that is leaving, and waits for its signal", async () => {
        pod.write("bin/sleep", '#!/bin/sh\necho "$1" >>"$SANDBOX/pauses"; exec /bin/sleep "$1"\n', 0o755);
        const running = run("always", ': >"$MINICLUSTER_RUN/leaving"');
        await pod.until(() => pod.has("pauses") && pod.read("pauses").split("\n").length > 2, "two pauses");
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.equal(pod.calls.length, 1);
    });

    it("ends at once when it is stopped between two brokers", async () => {
        const running = run("always", "exit 0", { MINICLUSTER_MODE: "ephemeral" });
        await pod.until(() => running.stderr.includes("ms"), "a restart");
        const before = Date.now();
        running.signal("SIGTERM");
        assert.equal((await running.ended).code, 143);
        assert.ok(Date.now() - before < 2500);
        assert.equal(pod.calls.length, 1);
    });

    it("ends with 143 when it is stopped, whatever the broker ends with", async () => {
        for (const code of [1, 129]) {
            const running = run("never", broker(code).replace("/up", `/up.${code}`));
            await pod.until(() => pod.has(`up.${code}`), "the broker");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
        }
    });

    describe("with a post hook", () => {
        beforeEach(() => pod.write("etc/flux-minicluster/hook-post.sh", 'echo post >>"$SANDBOX/post"; exit 5\n'));

        it("runs it once the broker has ended, and keeps the broker's exit code", async () => {
            assert.equal((await run("never", "exit 3").ended).code, 3);
            assert.equal(pod.read("post"), "post\n");
        });

        it("runs it once, after the last broker", async () => {
            pod.write("run/flux/ready", "");
            await run("failure", codes(1, 0)).ended;
            assert.equal(pod.read("post"), "post\n");
        });

        it("runs it when it is stopped", async () => {
            const running = run("always", broker(0));
            await pod.until(() => pod.has("up"), "the broker");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            assert.equal(pod.read("post"), "post\n");
        });
    });
});
