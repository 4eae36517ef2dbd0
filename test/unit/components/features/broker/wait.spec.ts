import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";

import { BASH, Sandbox } from "../../../support/sandbox";

/** Shells that may be an image's /bin/sh. Bash that is called as sh runs in its POSIX mode. */
const SHELLS = [["/bin/dash"], [BASH, "--posix"], [process.env.BUSYBOX ?? "/bin/busybox", "ash"]].filter(([program]) =>
    existsSync(program),
);

describe("wait.sh", () => {
    let pod: Sandbox;

    beforeEach(() => (pod = new Sandbox()));
    afterEach(() => pod.remove());

    const words = ["sh", "-c", "echo $HOME '*'\n\n", "", " two  words ", "$(A)", '"'];
    const log = () => (pod.has("dev/termination-log") ? pod.read("dev/termination-log") : "");
    /** Replaces start.sh, which wait.sh runs next. */
    const start = (text: string) => pod.write("etc/flux-minicluster/start.sh", text);
    const supervisor = (text: string) => start(`printf 'yes\\n' >"$MINICLUSTER_RUN/started"; exec bash -c '${text}'`);
    const hook = (name: string, text: string) => pod.write(`etc/flux-minicluster/hook-${name}.sh`, `${text}\n`);

    it("runs start.sh with every word of the command unchanged", async () => {
        start(`printf '<%s>' "$@"; printf 'yes\\n' >"$MINICLUSTER_RUN/started"`);
        const { code, stderr, stdout } = await pod.run("wait", words);
        assert.deepEqual([code, stderr, stdout, log()], [0, "", words.map((word) => `<${word}>`).join(""), ""]);
    });

    it("leaves the user's variables unchanged, whatever their names", async () => {
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
        it(`exits with ${code} as the supervisor does`, async () => {
            supervisor(`exit ${code}`);
            assert.deepEqual([(await pod.run("wait")).code, log()], [code, ""]);
        });
    }

    it("exits with start.sh's exit code if start.sh fails", async () => {
        start("exit 5");
        assert.deepEqual([(await pod.run("wait")).code, log()], [5, ""]);
    });

    describe("when a hook ends the start", () => {
        const ends: [string, string, number, number][] = [
            ["exit 0", "exit 0", 0, 79],
            ["exit 7", "exit 7", 7, 7],
            ["a failing command", "(exit 42)", 42, 42],
            ["exec of a program", "exec true", 0, 79],
            ["exec of a failing program", "exec sh -c 'exit 9'", 9, 9],
        ];
        for (const name of ["init", "pre", "lead", "worker"]) {
            for (const [what, text, ended, code] of ends) {
                it(`fails after ${what} in the ${name} hook`, async () => {
                    pod.remove();
                    pod = new Sandbox({}, name === "worker" ? 1 : 0);
                    hook(name, `${text}\necho not reached`);
                    const done = await pod.run("wait", ["x"]);
                    const cure = ended === 0 ? "; a hook has to end without exit and exec" : "";
                    const said = `the ${name} hook ended the start with exit code ${ended}${cure}`;
                    assert.deepEqual([done, pod.calls], [{ code, stdout: "", stderr: `minicluster: ${said}\n` }, []]);
                    assert.equal(log(), `minicluster.error=${said}\n`);
                });
            }
        }

        it("tells that before the end of what the hook has written: Kubernetes cuts the text of many containers", async () => {
            hook("pre", `printf '%3000s' end >>"$MINICLUSTER_TERMINATION_LOG"; exit 3`);
            await pod.run("wait", ["x"]);
            const said = "minicluster.error=the pre hook ended the start with exit code 3\n";
            assert.equal(log().slice(0, said.length), said);
            assert(log().length < 1000);
        });

        it("continues if the hook only returns early", async () => {
            hook("pre", "return 0");
            assert.deepEqual([(await pod.run("wait", ["x"], { FLUX_STUB: "exit 3" })).code, log()], [3, ""]);
        });
    });

    describe("when it is stopped", () => {
        for (const name of ["init", "pre", "lead"]) {
            for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const) {
                it(`exits with 143 and runs no broker, after ${signal} in the ${name} hook`, async () => {
                    hook(name, ': >"$SANDBOX/up"; exec sleep 100');
                    const running = pod.start("wait", ["x"]);
                    await pod.until(() => pod.has("up"), "the hook");
                    running.signal(signal);
                    assert.equal((await running.ended).code, 143);
                    assert.deepEqual([pod.calls, log()], [[], ""]);
                });
            }
        }

        it("exits with 143 even if a hook exits with 0 at the signal", async () => {
            hook("pre", `trap 'exit 0' TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done`);
            const running = pod.start("wait", ["x"]);
            await pod.until(() => pod.has("up"), "the hook");
            running.signal("SIGTERM");
            assert.deepEqual([(await running.ended).code, pod.calls, log()], [143, [], ""]);
        });

        it("passes the signal to the supervisor after a hook that ignores signals", async () => {
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

        it("exits with 143 while it waits for the addresses of the other ranks", async () => {
            pod.write("etc/flux-minicluster/start-names.sh", ': >"$SANDBOX/up"; exec sleep 10 >/dev/null 2>&1');
            const running = pod.start("wait", ["x"]);
            await pod.until(() => pod.has("up"), "start-names.sh");
            running.signal("SIGTERM");
            assert.deepEqual([(await running.ended).code, pod.calls], [143, []]);
        });

        it("exits with 143 before start.sh can handle the signal", async () => {
            const text = pod.read("etc/flux-minicluster/wait.sh").replace(/^\(\n/m, 'kill -s TERM "$$$$"\n(\n');
            pod.write("etc/flux-minicluster/wait.sh", text);
            const { code, stdout } = await pod.run("wait", ["x"]);
            assert.deepEqual([code, stdout, pod.calls], [143, "", []]);
        });

        it("exits with 143 even if the signal doesn't reach the child", async () => {
            const text = pod.read("etc/flux-minicluster/wait.sh").replaceAll("kill -s TERM", ": ");
            pod.write(
                "etc/flux-minicluster/wait.sh",
                text.replace("await\njudge", 'printf "yes\\n" >"$MINICLUSTER_RUN/stopped"\nawait\njudge'),
            );
            start(`until [[ -s $MINICLUSTER_RUN/stopped ]]; do :; done\n${pod.read("etc/flux-minicluster/start.sh")}`);
            assert.deepEqual([(await pod.run("wait", ["x"])).code, pod.calls], [143, []]);
        });

        for (const shell of SHELLS) {
            it(`exits with 143 at any moment, as ${shell.join(" ")}`, async function () {
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
        it(`passes signals to the supervisor and waits for its end, as ${shell.join(" ")}`, async () => {
            // bash forgets a signal that comes while it still handles one before, so nothing is told in there.
            const tell = "[[ $heard != 1 ]] || { echo one; told=yes; }; [[ $heard != 2 ]] || { echo two; exit 4; }";
            const loop = `while :; do [[ -n $told && $heard == 1 ]] || { ${tell}; }; sleep 0.02; done`;
            supervisor(`heard=0 told=; trap "heard=\\$((heard + 1))" TERM; : >"$SANDBOX/up"; ${loop}`);
            const running = pod.startWith(shell, "wait");
            await pod.until(() => pod.has("up"), "the supervisor");
            running.signal("SIGTERM");
            await pod.until(() => running.stdout === "one\n", "the first signal");
            running.signal("SIGHUP");
            assert.deepEqual(await running.ended, { code: 4, stdout: "one\ntwo\n", stderr: "" });
        });
    }

    /** A broker whose command has ended. */
    const ended = { FLUX_STUB: 'echo 0 >"$MINICLUSTER_RUN/ended"' };
    const version = (text: string) => ({
        VERSION_STUB: `printf 'commands:    \\t\\t%s\\nlibflux-core:\\t\\t%s\\n' '${text}' '${text}'`,
    });

    for (const good of ["0.72", "0.72.0", "0.88.1", "0.100.0", "1.0.0", "0.88.0-12-gabcdef", "2.3"]) {
        it(`accepts flux-core ${good}`, async () => {
            assert.equal((await pod.run("wait", ["x"], { ...version(good), ...ended })).code, 0);
            assert.equal(pod.calls[0]?.[1], "broker");
        });
    }

    /** Expects one line in the log, the same line for JobStatus, and the exit code of a configuration error. */
    async function missing(variables: Record<string, string>, expected: string): Promise<void> {
        const { code, stderr, stdout } = await pod.run("wait", words, variables);
        assert.deepEqual([code, stdout, stderr], [78, "", `minicluster: ${expected}\n`]);
        assert.equal(pod.read("dev/termination-log"), `minicluster.error=${expected}\n`);
    }

    for (const old of ["0.71.9", "0.9", "0.0.1"]) {
        it(`refuses flux-core ${old}`, () =>
            missing(version(old), `${pod.path("bin/flux")} is flux-core ${old}; at least 0.72 is needed`));
    }

    /** All programs of the scripts but bash. */
    const PROGRAMS = "cat chmod cp date id install mkdir mkfifo mv rm sleep tail timeout wc".split(" ");
    const CURE = "add to it what is missing (mostly of the package coreutils), or correct PATH (environment, hooks)";
    /** What may stand on PATH in place of a program. */
    const ODD: readonly (readonly [string, (program: string) => void])[] = [
        ["a folder", (program) => pod.write(`only/${program}/file`, "")],
        ["a broken link", (program) => symlinkSync("/no/such/program", pod.path(`only/${program}`))],
        ["a file that isn't executable", (program) => pod.write(`only/${program}`, "", 0o644)],
    ];

    it("reports that the image has no bash, and the PATH that it searched", () => {
        const path = pod.only(...PROGRAMS);
        return missing({ PATH: path }, `the image has no bash on PATH (${path}); ${CURE}`);
    });

    it("reports that the image has no flux, and the PATH that it searched", () => {
        const path = pod.only("bash", ...PROGRAMS);
        const expected = `the image has no flux on PATH (${path}); install flux-core in it, or correct PATH`;
        return missing({ PATH: path }, expected);
    });

    for (const [what, put] of ODD) {
        it(`names ${what} in place of flux`, () => {
            const path = pod.only("bash", ...PROGRAMS);
            put("flux");
            const found = `; ${path}/flux is no executable file`;
            const expected = `the image has no flux on PATH (${path})${found}; install flux-core in it, or correct PATH`;
            return missing({ PATH: path }, expected);
        });

        it(`names ${what} in place of bash`, () => {
            const path = pod.only(...PROGRAMS);
            put("bash");
            const expected = `the image has no bash on PATH (${path}); ${path}/bash is no executable file; ${CURE}`;
            return missing({ PATH: path }, expected);
        });
    }

    it("names what says that it is bash and isn't", async () => {
        pod.write("bin/bash", "#!/bin/sh\necho 'no such option' >&2\nexit 2\n", 0o755);
        const { code, stderr } = await pod.run("wait", words);
        const said = `${pod.path("bin/bash")} doesn't work as bash 4.2 or later: it says no such option; BASH_ENV is unset`;
        assert.deepEqual([code, stderr], [78, `no such option\nminicluster: ${said}\n`]);
        assert.equal(log(), `minicluster.error=${said}\n`);
    });

    it("names the file of BASH_ENV that ends each script", async () => {
        pod.write("profile", "exit 3\n");
        const { code, stderr } = await pod.run("wait", words, { BASH_ENV: pod.path("profile") });
        const said = `${pod.path("bin/bash")} doesn't work as bash 4.2 or later: it says nothing; BASH_ENV is ${pod.path("profile")}`;
        assert.deepEqual([code, stderr], [78, `minicluster: ${said}\n`]);
    });

    for (const name of ["pre", "lead", "worker"]) {
        it(`names the PATH that the ${name} hook has left`, async () => {
            pod.remove();
            pod = new Sandbox({}, name === "worker" ? 1 : 0);
            hook(name, "PATH=/no/such/folder");
            const all = ["bash", ...PROGRAMS].join(", ");
            await missing({}, `the image has no ${all} on PATH (/no/such/folder); ${CURE}`);
        });
    }

    for (const variable of ["SHELLOPTS", "BASHOPTS"]) {
        it(`keeps the options of its scripts from the broker, if ${variable} is exported`, async () => {
            pod.write("etc/flux-minicluster/supervise.sh", "printenv\n");
            const value = variable === "SHELLOPTS" ? "noglob" : "sourcepath";
            const { stdout } = await pod.run("wait", ["x"], { [variable]: value });
            assert.doesNotMatch(stdout, new RegExp(`^${variable}=`, "m"));
            assert.match(stdout, /^MINICLUSTER_RUN=/m);
        });
    }

    it("reports an empty certificate", () => {
        pod.write("etc/curve/curve.cert", "");
        return missing(
            {},
            `the certificate ${pod.path("etc/curve/curve.cert")} is empty; it needs the text of a file that flux keygen writes`,
        );
    });

    it("reports a folder that it can't write to", async () => {
        const run = pod.path("run/no/such/folder");
        const { code, stderr } = await pod.run("wait", words, { MINICLUSTER_RUN: run });
        const uid = process.getuid?.();
        const said = `user ${uid} can't write 10 kB to ${run}: it is full, read-only or another user's`;
        assert.deepEqual([code, stderr.split("\n").at(-2)], [78, `minicluster: ${said}`]);
        assert.equal(log(), `minicluster.error=${said}\n`);
    });

    it("reports a folder that it can't make", () => {
        pod.write("var/file", "");
        const state = pod.path("var/file/state");
        const said = `mkdir: cannot create directory ‘${pod.path("var/file")}’: Not a directory`;
        const variables = { MINICLUSTER_STATE: state, LC_ALL: "C.UTF-8" };
        return missing(variables, `user ${process.getuid?.()} can't make its folders: ${said}`);
    });

    for (const [what, stub, says] of [
        ["fails", "exit 1", "nothing"],
        ["prints another line", "echo flux-core: new", "flux-core: new"],
        ["prints no number", "echo libflux-core: unknown", "libflux-core: unknown"],
        [
            "lacks a library",
            "echo flux: error while loading: libx.so >&2; exit 127",
            "flux: error while loading: libx.so",
        ],
    ] as const) {
        it(`reports that the version is unknown if flux version ${what}`, () =>
            missing(
                { VERSION_STUB: stub },
                `flux-core 0.72 or later is needed, but ${pod.path("bin/flux")} version says: ${says}`,
            ));
    }

    it("asks for the version without FLUX_URI, so that flux looks for no broker", async () => {
        await pod.run("wait", ["x"], {
            VERSION_STUB: 'echo "${FLUX_URI-none}" >"$SANDBOX/uri"; echo libflux-core: 0.88.0',
        });
        assert.equal(pod.read("uri"), "none\n");
    });

    it("runs the Flux that the init hook adds to PATH", async () => {
        const brought = pod.read("bin/flux");
        pod.write("bin/flux", "#!/bin/sh\nexit 1\n", 0o755);
        pod.write("spack/bin/flux", brought, 0o755);
        hook("init", 'export PATH="$SANDBOX/spack/bin:$PATH"');
        assert.equal((await pod.run("wait", ["x"], ended)).code, 0);
        assert.equal(pod.calls[0]?.[1], "broker");
    });

    it("reports a missing certificate", () => {
        const path = pod.path("etc/curve/none");
        return missing({ MINICLUSTER_CERTIFICATE: path }, `there is no certificate at ${path}`);
    });

    it("reports that the user can't read the certificate, with the cure", async function () {
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
        const expected = `user 1234 may not read ${pod.path("etc/curve/curve.cert")}; leave its volume out of podTemplate, or set podSecurityContext.fsGroup to a group of that user`;
        assert.deepEqual([status, stderr], [78, `minicluster: ${expected}\n`]);
    });

    it("reports the problem in the log even if it can't write the termination message", async () => {
        const { code, stderr } = await pod.run("wait", [], {
            ...version("0.1"),
            MINICLUSTER_TERMINATION_LOG: "/no/such/folder",
        });
        assert.deepEqual(
            [code, stderr],
            [78, `minicluster: ${pod.path("bin/flux")} is flux-core 0.1; at least 0.72 is needed\n`],
        );
    });
});

/** Whether a shell has set its traps: the kernel tells which signals a process catches. */
function isTrapping(pid: number): boolean {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
    return (BigInt(`0x${caught}`) & (1n << 14n)) !== 0n;
}
