import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { BASH, Sandbox } from "../../../support/sandbox";

/** Shells that may be an image's /bin/sh; bash is one where it is called so. */
const SHELLS = [["/bin/dash"], [BASH, "--posix"], [process.env.BUSYBOX ?? "/bin/busybox", "ash"]].filter(([program]) =>
    existsSync(program),
);

describe("wait.sh", () => {
    let pod: Sandbox;

    beforeEach(() => (pod = new Sandbox()));
    afterEach(() => pod.remove());

    const words = ["sh", "-c", "echo $HOME '*'\n\n", "", " two  words ", "$(A)", '"'];
    const log = () => (pod.has("dev/termination-log") ? pod.read("dev/termination-log") : "");
    /** What comes next, up to its supervisor. */
    const start = (text: string) => pod.write("etc/flux-minicluster/start.sh", text);
    const supervisor = (text: string) => start(`printf 'yes\\n' >"$MINICLUSTER_RUN/started"; exec bash -c '${text}'`);
    const hook = (name: string, text: string) => pod.write(`etc/flux-minicluster/hook-${name}.sh`, `${text}\n`);

    it("runs start.sh with every word of the command as it was", async () => {
        start(`printf '<%s>' "$@"; printf 'yes\\n' >"$MINICLUSTER_RUN/started"`);
        const { code, stderr, stdout } = await pod.run("wait", words);
        assert.deepEqual([code, stderr, stdout, log()], [0, "", words.map((word) => `<${word}>`).join(""), ""]);
    });

    it("leaves the user's variables as they are, whatever their names", async () => {
        const own = [
            "child",
            "code",
            "file",
            "heard",
            "hook",
            "label",
            "last",
            "minor",
            "name",
            "said",
            "stopped",
            "version",
        ];
        const variables = Object.fromEntries(own.map((name) => [name, "own"]));
        pod.write("etc/flux-minicluster/supervise.sh", "printenv\n");
        const { stdout } = await pod.run("wait", ["x"], variables);
        const changed = own.filter((name) => !stdout.split("\n").includes(`${name}=own`));
        assert.deepEqual(changed, []);
    });

    for (const code of [0, 1, 127, 143]) {
        it(`ends with ${code} as the supervisor does`, async () => {
            supervisor(`exit ${code}`);
            assert.deepEqual([(await pod.run("wait")).code, log()], [code, ""]);
        });
    }

    it("ends with start.sh's exit code where it fails", async () => {
        start("exit 5");
        assert.deepEqual([(await pod.run("wait")).code, log()], [5, ""]);
    });

    describe("takes the end of a hook that ends the start for a failure", () => {
        const ends: [string, string, number, number][] = [
            ["exit 0", "exit 0", 0, 79],
            ["exit 7", "exit 7", 7, 7],
            ["a command that fails", "(exit 42)", 42, 42],
            ["a program in its place", "exec true", 0, 79],
            ["a program in its place that fails", "exec sh -c 'exit 9'", 9, 9],
        ];
        for (const name of ["init", "pre", "lead", "worker"]) {
            for (const [what, text, ended, code] of ends) {
                it(`${name}: ${what}`, async () => {
                    pod.remove();
                    pod = new Sandbox({}, name === "worker" ? 1 : 0);
                    hook(name, `${text}\necho not reached`);
                    const done = await pod.run("wait", ["x"]);
                    const cure = ended === 0 ? "; a hook has to end without exit and exec" : "";
                    const said = `the ${name} hook ended the start with exit code ${ended}${cure}`;
                    assert.deepEqual([done, pod.calls], [{ code, stdout: "", stderr: `minicluster: ${said}\n` }, []]);
                    assert.equal(log(), `error=${said}\n`);
                });
            }
        }

        it("but not that of one that returns early", async () => {
            hook("pre", "return 0");
            assert.deepEqual([(await pod.run("wait", ["x"], { FLUX_STUB: "exit 3" })).code, log()], [3, ""]);
        });
    });

    describe("ends a start by a signal, and no broker runs", () => {
        for (const name of ["init", "pre", "lead"]) {
            for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const) {
                it(`${signal} in the hook ${name}`, async () => {
                    hook(name, ': >"$SANDBOX/up"; exec sleep 100');
                    const running = pod.start("wait", ["x"]);
                    await pod.until(() => pod.has("up"), "the hook");
                    running.signal(signal);
                    assert.equal((await running.ended).code, 143);
                    assert.deepEqual([pod.calls, log()], [[], ""]);
                });
            }
        }

        it("also where a hook takes the signal for a good end", async () => {
            hook("pre", `trap 'exit 0' TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done`);
            const running = pod.start("wait", ["x"]);
            await pod.until(() => pod.has("up"), "the hook");
            running.signal("SIGTERM");
            assert.deepEqual([(await running.ended).code, pod.calls, log()], [143, [], ""]);
        });

        it("and a hook that ignores the signal keeps it from nobody after", async () => {
            hook("pre", "trap '' TERM; trap 'echo never' EXIT");
            pod.write(
                "etc/flux-minicluster/supervise.sh",
                `trap 'exit 6' TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done`,
            );
            const running = pod.start("wait", ["x"]);
            await pod.until(() => pod.has("up"), "the supervisor");
            running.signal("SIGTERM");
            assert.deepEqual(await running.ended, { code: 6, stdout: "", stderr: "" });
        });

        it("while the addresses of the other ranks are waited for", async () => {
            pod.write("etc/flux-minicluster/names.sh", ': >"$SANDBOX/up"; exec sleep 10 >/dev/null 2>&1');
            const running = pod.start("wait", ["x"]);
            await pod.until(() => pod.has("up"), "names.sh");
            running.signal("SIGTERM");
            assert.deepEqual([(await running.ended).code, pod.calls], [143, []]);
        });

        it("before there is a start.sh that hears it", async () => {
            const text = pod
                .read("etc/flux-minicluster/wait.sh")
                .replace(/^command -v bash/m, 'kill -s TERM "$$$$"; command -v bash');
            pod.write("etc/flux-minicluster/wait.sh", text);
            const { code, stdout } = await pod.run("wait", ["x"]);
            assert.deepEqual([code, stdout, pod.calls], [143, "", []]);
        });

        it("where the signal got lost on its way into the child", async () => {
            const text = pod.read("etc/flux-minicluster/wait.sh").replaceAll("kill -s TERM", ": ");
            pod.write(
                "etc/flux-minicluster/wait.sh",
                text.replace("await\njudge", 'printf "yes\\n" >"$MINICLUSTER_RUN/stopped"\nawait\njudge'),
            );
            start(`until [[ -s $MINICLUSTER_RUN/stopped ]]; do :; done\n${pod.read("etc/flux-minicluster/start.sh")}`);
            assert.deepEqual([(await pod.run("wait", ["x"])).code, pod.calls], [143, []]);
        });

        for (const shell of SHELLS) {
            it(`at any moment of a start, as ${shell.join(" ")}`, async function () {
                this.timeout(60_000).slow(30_000);
                pod.write(
                    "etc/flux-minicluster/supervise.sh",
                    `trap 'exit 143' TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done`,
                );
                for (let delay = 0; ; delay += 25) {
                    const running = pod.startWith(shell, "wait", ["x"]);
                    await pod.until(() => isTrapping(running.pid), "its traps");
                    await new Promise((resolve) => setTimeout(resolve, delay));
                    running.signal("SIGTERM");
                    assert.equal((await running.ended).code, 143, `after ${delay} ms`);
                    if (pod.has("up")) {
                        return;
                    }
                }
            });
        }
    });

    for (const shell of SHELLS) {
        it(`passes signals on to the supervisor, and waits for its end, as ${shell.join(" ")}`, async () => {
            const loop = ': >"$SANDBOX/up"; while :; do sleep 0.02; done';
            supervisor(`trap "echo one; trap \\"echo two; exit 4\\" TERM" TERM; ${loop}`);
            const running = pod.startWith(shell, "wait");
            await pod.until(() => pod.has("up"), "the supervisor");
            running.signal("SIGTERM");
            await pod.until(() => running.stdout === "one\n", "the first signal");
            running.signal("SIGHUP");
            assert.deepEqual(await running.ended, { code: 4, stdout: "one\ntwo\n", stderr: "" });
        });
    }

    /** A broker whose command has ended. */
    const ended = { FLUX_STUB: ': >"$MINICLUSTER_RUN/ended"' };
    const version = (text: string) => ({
        VERSION_STUB: `printf 'commands:    \\t\\t%s\\nlibflux-core:\\t\\t%s\\n' '${text}' '${text}'`,
    });

    for (const good of ["0.72", "0.72.0", "0.88.1", "0.100.0", "1.0.0", "0.88.0-12-gabcdef", "2.3"]) {
        it(`takes flux-core ${good}`, async () => {
            assert.equal((await pod.run("wait", ["x"], { ...version(good), ...ended })).code, 0);
            assert.equal(pod.calls[0]?.[1], "broker");
        });
    }

    /** One line for people, the same for JobStatus, and the exit code of a configuration error. */
    async function missing(variables: Record<string, string>, expected: string): Promise<void> {
        const { code, stderr, stdout } = await pod.run("wait", words, variables);
        assert.deepEqual([code, stdout, stderr], [78, "", `minicluster: ${expected}\n`]);
        assert.equal(pod.read("dev/termination-log"), `error=${expected}\n`);
    }

    for (const old of ["0.71.9", "0.9", "0.0.1"]) {
        it(`refuses flux-core ${old}`, () =>
            missing(version(old), `the image has flux-core ${old}; at least 0.72 is needed`));
    }

    it("says that there is no bash", () =>
        missing({ PATH: pod.only("id") }, "the image has no bash; install bash in it"));

    it("says that there is no flux, and where it looked", () => {
        const path = pod.only("bash", "id", "rm");
        return missing({ PATH: path }, `the image has no flux on PATH (${path}); install flux-core in it`);
    });

    for (const [what, stub] of [
        ["fails", "exit 1"],
        ["says something else", "echo flux-core: new"],
        ["says no number", "echo libflux-core: unknown"],
    ] as const) {
        it(`says that it can't tell the version where flux ${what}`, () =>
            missing(
                { VERSION_STUB: stub },
                "flux version does not say which flux-core this is; at least 0.72 is needed",
            ));
    }

    it("asks Flux for its version with no broker in mind, which it would look for", async () => {
        await pod.run("wait", ["x"], {
            VERSION_STUB: 'echo "${FLUX_URI-none}" >"$SANDBOX/uri"; echo libflux-core: 0.88.0',
        });
        assert.equal(pod.read("uri"), "none\n");
    });

    it("takes the Flux that the init hook brings", async () => {
        const brought = pod.read("bin/flux");
        pod.write("bin/flux", "#!/bin/sh\nexit 1\n", 0o755);
        pod.write("spack/bin/flux", brought, 0o755);
        hook("init", 'export PATH="$SANDBOX/spack/bin:$PATH"');
        assert.equal((await pod.run("wait", ["x"], ended)).code, 0);
        assert.equal(pod.calls[0]?.[1], "broker");
    });

    it("says that there is no certificate", () => {
        const path = pod.path("etc/curve/none");
        return missing({ MINICLUSTER_CERTIFICATE: path }, `there is no certificate at ${path}`);
    });

    it("says that a user may not read the certificate, and how to change that", async function () {
        if (process.getuid?.() !== 0) {
            this.skip();
        }
        spawnSync("chmod", ["-R", "a+rX", pod.root]);
        spawnSync("chmod", ["0777", pod.path("dev"), pod.path("run/flux")]);
        pod.write("calls", "", 0o666);
        pod.write("etc/curve/curve.cert", "the key", 0o400);
        const { status, stderr } = spawnSync("/bin/sh", [pod.path("etc/flux-minicluster/wait.sh")], {
            encoding: "utf8",
            uid: 1234,
            gid: 1234,
            env: pod.variables,
        });
        const expected = `user 1234 may not read ${pod.path("etc/curve/curve.cert")}; set podSecurityContext.fsGroup to a group of that user`;
        assert.deepEqual([status, stderr], [78, `minicluster: ${expected}\n`]);
    });

    it("is no less clear where the termination message can't be written", async () => {
        const { code, stderr } = await pod.run("wait", [], {
            ...version("0.1"),
            MINICLUSTER_TERMINATION_LOG: "/no/such/folder",
        });
        assert.deepEqual([code, stderr], [78, "minicluster: the image has flux-core 0.1; at least 0.72 is needed\n"]);
    });
});

/** Whether a shell has set its traps: the kernel tells which signals a process catches. */
function isTrapping(pid: number): boolean {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
    return (BigInt(`0x${caught}`) & (1n << 14n)) !== 0n;
}
