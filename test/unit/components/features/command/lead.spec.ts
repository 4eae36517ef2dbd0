import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import type { PlainArgs } from "../../../../../components/args";
import { hasChild } from "../../../support/processes";
import { BASH, Sandbox } from "../../../support/sandbox";

/** The calls of flux, without the question after the command whether its broker has anything left to do. */
const callsOf = (pod: Sandbox) => pod.calls.filter(([, name]) => name !== "module");

describe("lead.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const make = (args: Partial<PlainArgs> = {}, secretNames: string[] = []) =>
        (pod = new Sandbox(args, 0, secretNames));
    /** The names of the times that JobStatus reads. */
    const marks = () =>
        pod
            .read("dev/termination-log")
            .trimEnd()
            .split("\n")
            .map((line) => line.replace(/^minicluster\.|=\d+\.\d+$/g, ""));

    async function optionsOf(
        args: Partial<PlainArgs> = {},
        variables: Record<string, string> = {},
        secretNames: string[] = [],
    ) {
        await make(args, secretNames).run("lead", ["/opt/bin/lmp", "-in", "x"], variables);
        const run = pod.calls.find((call) => call[1] === "run") ?? [];
        return run.slice(2, run.indexOf("--"));
    }

    it("runs the command through Flux and task.sh", async () => {
        await make().run("lead", ["hostname", "-f"]);
        const [call] = pod.calls;
        assert.deepEqual(call.slice(0, 2), ["flux", "run"]);
        const words = ["bash", pod.path("etc/flux-minicluster/task.sh"), "hostname", "-f"];
        assert.deepEqual(call.slice(call.indexOf("--") + 1), words);
    });

    it("asks for one task on each rank, and names the job after the command", async () => {
        const options = await optionsOf();
        assert.deepEqual(options.slice(0, 5), ["-N", "4", "-n", "4", "--job-name=lmp"]);
    });

    const numbers: [string, Partial<PlainArgs>, string[]][] = [
        ["spreads more tasks than ranks over all ranks", { tasks: 16 }, ["-N", "4", "-n", "16"]],
        ["asks for no more ranks than there are tasks", { tasks: 2 }, ["-N", "2", "-n", "2"]],
        [
            "passes the cores and GPUs of a task to Flux",
            { tasks: 4, coresPerTask: 2, gpusPerTask: 1 },
            ["-c", "2", "-g", "1"],
        ],
    ];
    for (const [sentence, args, expected] of numbers) {
        it(sentence, async () => {
            const options = (await optionsOf(args)).join(" ");
            assert.ok(options.includes(expected.join(" ")), options);
        });
    }

    it("runs on fewer nodes, and on whole nodes with some tasks on each", async () => {
        assert.deepEqual((await optionsOf({ nodes: 2, tasks: 6 })).slice(0, 4), ["-N", "2", "-n", "6"]);
        pod.remove();
        assert.deepEqual((await optionsOf({ tasksPerNode: 3 })).slice(0, 3), ["-N", "4", "--tasks-per-node=3"]);
    });

    it("passes the other options to Flux unchanged", async () => {
        const options = await optionsOf({
            exclusive: true,
            timeLimit: 90,
            signal: { name: "TERM" },
            requires: "host:lammps-[0-1] and *",
            shellOptions: { "cpu-affinity": "per-task" },
            outputFile: "/data/a  b {{id}}",
        });
        assert.deepEqual(options.slice(options.indexOf("minicluster") + 1), [
            "--time-limit=90s",
            "--signal=TERM@60s",
            "--requires=host:lammps-[0-1] and *",
            "--output=/data/a  b {{id}}",
            "--exclusive",
            "--setopt=cpu-affinity=per-task",
        ]);
    });

    it("doesn't run the command without its options if they can't be found out", async () => {
        const stub = '[ "$1" != resource ] || exit 3';
        const { code } = await make({ size: 3, minSize: 2, maxSize: 8 }).run("lead", ["x"], { FLUX_STUB: stub });
        assert.deepEqual([code, pod.calls.some(([, command]) => command === "run")], [3, false]);
    });

    it("runs on the ranks that are up if the size of the cluster can change", async () => {
        const stub = '[ "$1" != resource ] || echo 3';
        const options = await optionsOf({ size: 3, minSize: 2, maxSize: 8 }, { FLUX_STUB: stub });
        assert.deepEqual(options.slice(0, 4), ["-N", "3", "-n", "3"]);
        assert.deepEqual(pod.calls[0], ["flux", "resource", "list", "--states=up", "--no-header", "--format={nnodes}"]);
    });

    for (const level of [0, 2]) {
        it(`sets the broker's log level to the given ${level} after the quorum`, async () => {
            await make({ broker: { logLevel: level } }).run("lead", ["x"]);
            assert.deepEqual(pod.calls[0], ["flux", "setattr", "log-stderr-level", String(level)]);
        });
    }

    it("doesn't set the log level if the broker was started with the given one", async () => {
        await make({ broker: { logLevel: 3 } }).run("lead", ["x"]);
        assert.deepEqual(
            callsOf(pod).map(([, command]) => command),
            ["run"],
        );
    });

    describe("when it records times", () => {
        const clocks: [string, string, RegExp][] = [
            ["takes them from date in a bash without EPOCHREALTIME", "1700000000.123456789", /^1700000000\.123456789$/],
            ["takes whole seconds if date doesn't know %N", "1700000000.%N", /^1700000000$/],
            ["takes whole seconds if date leaves the fraction out", "1700000000.", /^1700000000$/],
        ];
        for (const [how, said, expected] of clocks) {
            it(how, async () => {
                make().write("bin/date", `#!/bin/sh\necho '${said}'\n`, 0o755);
                const text = pod.read("etc/flux-minicluster/lead.sh");
                pod.write("etc/flux-minicluster/lead.sh", `unset EPOCHREALTIME\n${text}`);
                await pod.run("lead", ["x"]);
                const times = pod
                    .read("dev/termination-log")
                    .trimEnd()
                    .split("\n")
                    .map((line) => line.split("=")[1]);
                assert.equal(times.length, 3);
                times.forEach((time) => assert.match(time, expected));
            });
        }

        it("writes a dot where the locale has a comma", async () => {
            const text = make().read("etc/flux-minicluster/lead.sh");
            pod.write("etc/flux-minicluster/lead.sh", `unset EPOCHREALTIME\nEPOCHREALTIME=1700000000,123456\n${text}`);
            await pod.run("lead", ["x"]);
            assert.match(pod.read("dev/termination-log"), /^minicluster\.quorum=1700000000\.123456\n/);
        });
    });

    for (const code of [0, 3, 139]) {
        it(`exits with the command's exit code ${code}`, async () => {
            assert.equal((await make().run("lead", ["x"], { FLUX_STUB: `exit ${code}` })).code, code);
            assert.deepEqual(marks(), ["quorum", "started", "ended"]);
        });
    }

    it("creates the file that the probe waits for", async () => {
        await make().run("lead", ["x"], { FLUX_STUB: '[ -e "$MINICLUSTER_RUN/ready" ] && echo ready' });
        assert.ok(pod.has("run/flux/ready"));
    });

    it("runs a launcher itself, word by word", async () => {
        const { code, stdout } = await make({ launcher: true }).run("lead", [
            "printf",
            "<%s>",
            "a b",
            "",
            "{{id}}",
            "*",
            "$HOME",
        ]);
        assert.deepEqual([code, stdout, callsOf(pod)], [0, "<a b><><{{id}}><*><$HOME>", []]);
        assert.deepEqual(marks(), ["quorum", "started", "ended"]);
    });

    it("keeps the variables of a rank out of a launcher's environment, and so out of the launcher's jobs", async () => {
        const variables = { TOKEN: "secret", OWN: "1", FLUX_FAKE_HOSTNAME: "lammps-0" };
        const { stdout } = await make({ launcher: true }, ["TOKEN"]).run("lead", ["printenv"], variables);
        const names = stdout.split("\n").map((line) => line.split("=")[0]);
        assert.deepEqual(
            names.filter((name) =>
                /^(MINICLUSTER_(?!PROGRESS$).*|HOSTNAME|JOB_COMPLETION_INDEX|FLUX_FAKE_HOSTNAME)$/.test(name),
            ),
            [],
        );
        assert.ok(
            ["TOKEN", "OWN", "FLUX_URI", "PATH"].every((name) => names.includes(name)),
            stdout,
        );
    });

    it("exits with the code of a launcher that a signal ends, without words of bash about it", async () => {
        const script = "echo mine >&2; kill -SEGV $$";
        const { code, stderr } = await make({ launcher: true }).run("lead", ["sh", "-c", script]);
        assert.deepEqual([code, stderr], [139, "mine\n"]);
    });

    it("exits with a launcher's exit code", async () => {
        assert.equal((await make({ launcher: true }).run("lead", ["sh", "-c", "exit 9"])).code, 9);
        pod.remove();
        assert.equal((await make({ launcher: true }).run("lead", ["no-such-program"])).code, 127);
    });

    it("keeps a persistent cluster running until SIGHUP, and not until a job's SIGTERM", async () => {
        const running = make({ command: [] }).start("lead");
        await pod.until(() => hasChild(running.pid, "sleep"), "its being up");
        running.signal("SIGTERM");
        running.signal("SIGHUP");
        // `ended` waits until no process has the output open, so nothing is left behind.
        assert.equal((await running.ended).code, 0);
        assert.deepEqual(marks(), ["quorum"]);
        assert.ok(pod.has("run/flux/ready"));
    });

    describe("when the command has ended", () => {
        /** Like a broker: it has a process for a module, each tells if the other one ends, and lead.sh is its child. */
        const BROKER = `
            echo $$ >"$SANDBOX/pid"
            if [[ -z \${ALONE:-} ]]; then
              mkfifo "$SANDBOX/link"
              { read -r _ <"$SANDBOX/link"; echo the module has lost its broker; } &
              exec 3>"$SANDBOX/link"
            fi
            trap 'echo the broker has lost a process' CHLD
            bash "$MINICLUSTER_SCRIPTS/lead.sh" hostname 3>&- &
            wait $!; code=$?
            : >"$SANDBOX/by-itself"
            exit $code`;

        /** The end of a cluster whose command has exit code 3; `jobs` is what Flux says about active jobs. */
        async function endWith(jobs: string, args: Partial<PlainArgs> = {}, variables: Record<string, string> = {}) {
            make(args);
            const stub = `case $1 in
                broker) ${BROKER} ;;
                run) exit 3 ;;
                getattr) cat "$SANDBOX/pid" ;;
                module) echo ${jobs} ;;
                esac`;
            const ended = await pod.run("supervise", ["never", "flux", "broker"], {
                FLUX_STUB: stub,
                ...variables,
            });
            return { ...ended, byItself: pod.has("by-itself") };
        }

        it("kills a broker without active jobs so that no process tells of it, and keeps the exit code", async () => {
            const quiet = { code: 3, stdout: "", stderr: "", byItself: false };
            for (let times = 0; times < 5; times++) {
                assert.deepEqual(await endWith("0"), quiet);
                pod.remove();
            }
        });

        it("kills a broker without processes of modules, as before Flux 0.88", async () => {
            assert.deepEqual(await endWith("0", {}, { ALONE: "yes" }), {
                code: 3,
                stdout: "",
                stderr: "",
                byItself: false,
            });
        });

        it("lets the broker end by itself if a hook or the image has given it rc3 scripts", async () => {
            const { byItself, code } = await endWith("0", {}, { FLUX_RC_EXTRA: "/rc" });
            assert.deepEqual([code, byItself], [3, true]);
        });

        const lasting: [string, string, Partial<PlainArgs>][] = [
            ["jobs of the command are still active", "2", {}],
            ["Flux doesn't say how many jobs are active", "", {}],
            ["the broker has to write a dump", "0", { broker: { attributes: { "content.dump": "/tmp/dump" } } }],
            ["the broker has an rc3 of the user", "0", { broker: { attributes: { "broker.rc3_path": "/rc3" } } }],
            ["the user's broker.toml may have housekeeping", "0", { broker: { config: "[tbon]" } }],
        ];
        for (const [why, jobs, args] of lasting) {
            it(`lets the broker end by itself if ${why}`, async () => {
                const { byItself, code } = await endWith(jobs, args);
                assert.deepEqual([code, byItself], [3, true]);
            });
        }
    });

    describe("with task.sh", () => {
        /** The words that a task gets. Flux replaces text in double braces, so the stub refuses it. */
        async function through(words: string[]): Promise<string[]> {
            const flux = `[ "$1" = run ] || exit 1; while [ "$1" != -- ]; do shift; done; shift; for word in "$@"; do case $word in *{{*) exit 99;; esac; done; "$@"`;
            make();
            const { code, stdout } = await pod.run("lead", ["printf", "%s\\0", ...words], { FLUX_STUB: flux });
            assert.equal(code, 0);
            return stdout.split("\0").slice(0, -1);
        }

        const nasty = [
            "plain",
            "",
            "two words",
            "$HOME",
            "$(id)",
            "`id`",
            '"',
            "'",
            "\\",
            "*",
            "a\nb\n",
            "{{id}}",
            "{ {",
            "{",
            "}}",
            "{{{{",
            "&",
            "ü",
            "-n",
            "--",
        ];

        it("gives a command its words exactly as the user wrote them", async () => {
            assert.deepEqual(await through(nasty), nasty);
        });

        it("leaves the other variables of a task unchanged", () => {
            make();
            const words = [pod.path("etc/flux-minicluster/task.sh"), "printenv", "marked", "plain"];
            const { stdout } = spawnSync(BASH, words, {
                encoding: "utf8",
                env: { PATH: "/usr/bin:/bin", marked: "a", plain: "b" },
            });
            assert.equal(stdout, "a\nb\n");
        });

        it("exits with the command's code, because task.sh replaces itself by the command", () => {
            make();
            const words = [pod.path("etc/flux-minicluster/task.sh"), "sh", "-c", "exit 6"];
            assert.equal(spawnSync(BASH, words).status, 6);
        });
    });
});
