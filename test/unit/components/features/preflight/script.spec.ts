import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { Sandbox } from "../../../support/sandbox";

type Checks = NonNullable<PlainArgs["preflight"]>;

const SCRIPT = "start-0-preflight";

describe("start-0-preflight.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    function makePod(
        preflight: Checks,
        { rank = 0, ...sizes }: { rank?: number; size?: number; minSize?: number } = {},
    ) {
        pod = new Sandbox({ preflight, ...sizes }, rank);
        return pod;
    }

    /** Runs the checks on a rank that has to join, and returns the exit code and the report. */
    async function run(...preflight: Checks): Promise<[number | null, string]> {
        const { code } = await makePod(preflight).run(SCRIPT);
        return [code, pod.has("dev/termination-log") ? pod.read("dev/termination-log") : ""];
    }

    const failed = (words: string) => [78, `minicluster.error=preflight check gpu failed on rank 0: ${words}\n`];

    it("runs the checks in their order, with their output in the log, and lets the broker start", async () => {
        const { code, stderr, stdout } = await makePod([
            { name: "b", script: 'echo "first $JOB_COMPLETION_INDEX $MINICLUSTER_RUN"' },
            { name: "a", script: "echo second >&2; printf third" },
        ]).run(SCRIPT);
        assert.deepEqual([code, stdout], [0, ""]);
        assert.equal(stderr, `first 0 ${pod.path("run/flux")}\nsecond\nthird\n`);
        assert.ok(!pod.has("run/flux/preflight"));
    });

    it("gives a check nothing to read", async () => {
        assert.deepEqual(await run({ name: "gpu", script: "cat" }, { name: "b", script: "true" }), [0, ""]);
    });

    it("ends the pod with the name of the check and the last line that it printed", async () => {
        const script = 'echo looking; echo "no device 3." >&2; printf "\\n \\n"; exit 4';
        const end = await run({ name: "gpu", script }, { name: "later", script: ': >"$SANDBOX/later"' });
        assert.deepEqual(end, failed("no device 3"));
        assert.ok(!pod.has("later"));
    });

    it("tells the exit code of a check that printed nothing", async () => {
        const end = await run({ name: "gpu", script: "exit 4" });
        assert.deepEqual(end, failed("it printed nothing and ended with exit code 4"));
    });

    it("tells the last line in one line of plain text that is not too long", async () => {
        const end = await run({ name: "gpu", script: `printf '\\e[31mbad\\r\\n'; exit 1` });
        assert.deepEqual(end, failed("[31mbad"));
        const long = await run({ name: "gpu", script: `printf '%0400d' 0; exit 1` });
        assert.deepEqual(long, failed("0".repeat(300)));
    });

    it("fails for a script that bash can't read", async () => {
        const [code, report] = await run({ name: "gpu", script: "if" });
        assert.equal(code, 78);
        assert.match(report, /^minicluster\.error=preflight check gpu failed on rank 0: .*syntax error/);
    });

    it("ends a check after its timeout, together with its children", async () => {
        const script = 'sleep 1000 & echo $! >"$SANDBOX/child"; echo waits; sleep 1000';
        const end = await run({ name: "gpu", script, timeout: 1 });
        assert.deepEqual(end, failed("it did not end within 1 s"));
        await pod.until(() => !isAlive(Number(pod.read("child"))), "the end of the child");
    });

    it("ends what a check leaves running, and doesn't wait for a process that has left its group", async () => {
        const script =
            'sleep 1000 & echo $! >"$SANDBOX/child"; setsid sleep 1000 & echo $! >"$SANDBOX/daemon"; sleep 0.2; echo done';
        const running = makePod([{ name: "gpu", script }]).start(SCRIPT);
        // The other process may still write to the log.
        assert.equal(await running.exit, 0);
        await pod.until(() => !isAlive(Number(pod.read("child"))), "the end of the child");
        process.kill(Number(pod.read("daemon")), "SIGKILL");
        assert.equal((await running.ended).stderr, "done\n");
    });

    it("fails only the check if a check ends its own process group", async () => {
        assert.deepEqual(await run({ name: "gpu", script: "echo bye; kill -KILL 0" }), failed("bye"));
    });

    it("tells of a check that ends the process that runs it", async () => {
        const end = await run({ name: "gpu", script: "kill -KILL $PPID; sleep 1000" });
        assert.deepEqual(end, failed("it ended the process that ran it"));
    });

    it("doesn't take what an earlier check prints late for the reason", async () => {
        const wait = (file: string) => `until [[ -e $SANDBOX/${file} ]]; do sleep 0.02; done`;
        const lateLine = `: >"$SANDBOX/left"; ${wait("begun")}; echo "an old line"; : >"$SANDBOX/told"`;
        // The check's group is ended with it, so its process has to be in a group of its own before.
        const early = `setsid bash -c '${lateLine}' & ${wait("left")}`;
        const late = `: >"$SANDBOX/begun"; ${wait("told")}; sleep 0.2; exit 3`;
        const end = await run({ name: "early", script: early }, { name: "gpu", script: late });
        assert.deepEqual(end, failed("it printed nothing and ended with exit code 3"));
    });

    describe("on a follower without which the cluster may start", () => {
        const script = "echo no scratch; exit 1";

        async function staysOut(): Promise<void> {
            makePod([{ name: "gpu", script }], { rank: 2, size: 3, minSize: 2 });
            const running = pod.start(SCRIPT);
            await pod.until(() => pod.has("run/flux/ready"), "the rank stays out");
            // bash loses a signal that comes just before exec.
            await pod.until(() => running.program === "sleep", "the end of bash");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, null);
            assert.match(
                running.stderr,
                /minicluster: preflight check gpu failed on rank 2: no scratch; this rank stays out of the cluster\n$/,
            );
        }

        it("keeps the pod, tells the reason in the log, and reports it", async () => {
            await staysOut();
            const sentence = "preflight check gpu failed on rank 2: no scratch\n";
            assert.equal(pod.read("run/flux/out"), sentence);
            assert.equal(pod.read("dev/termination-log"), `minicluster.out=${sentence}`);
        });

        it("makes the startup probe succeed, without a call to Flux, and the readiness probe fail", async () => {
            await staysOut();
            assert.equal((await pod.run("ready")).code, 0);
            assert.deepEqual(pod.calls, []);
            const end = { code: 1, stdout: "preflight check gpu failed on rank 2: no scratch\n", stderr: "" };
            assert.deepEqual(await pod.run("joined"), end);
            pod.write("bin/sleep", '#!/bin/sh\necho "$1" >>"$SANDBOX/sleeps"\n', 0o755);
            assert.deepEqual(await pod.run("joined"), end);
            assert.equal(pod.read("sleeps"), "20\n");
        });

        it("runs the checks again in a restarted container", async () => {
            await staysOut();
            pod.write("etc/flux-minicluster/preflight-gpu.sh", "true");
            assert.equal((await pod.run(SCRIPT)).code, 0);
            assert.equal((await pod.run("joined")).code, 0, "the readiness probe");
        });

        it("lets the readiness probe of a rank that joins succeed, and later ones wait", async () => {
            makePod([{ name: "gpu", script: "true" }], { rank: 1, size: 3, minSize: 2 });
            pod.write("bin/sleep", '#!/bin/sh\necho "$1" >>"$SANDBOX/sleeps"\n', 0o755);
            assert.equal((await pod.run(SCRIPT)).code, 0);
            assert.equal((await pod.run("joined")).code, 0);
            assert.ok(!pod.has("sleeps"));
            assert.equal((await pod.run("joined")).code, 0);
            assert.equal(pod.read("sleeps"), "60\n");
        });
    });

    it("ends the pod of the lead, and of a follower that has to join", async () => {
        const checks = [{ name: "gpu", script: "echo bad; exit 1" }];
        assert.equal((await makePod(checks, { rank: 0, size: 3, minSize: 2 }).run(SCRIPT)).code, 78);
        pod.remove();
        assert.equal((await makePod(checks, { rank: 1, size: 3 }).run(SCRIPT)).code, 78);
        assert.ok(!pod.has("etc/flux-minicluster/joined.sh"));
    });
});

function isAlive(pid: number): boolean {
    try {
        return process.kill(pid, 0);
    } catch {
        return false;
    }
}
