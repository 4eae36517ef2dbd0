import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { endFrame, frame, onCall } from "../support/calls";
import { endOf, printed } from "../support/fakeExec";
import { FakeLog } from "../support/fakeLog";
import { end, useMainProgram } from "../support/mainProgram";

describe("minicluster", () => {
    const program = useMainProgram();
    const { api } = program;
    const makeReady = () => program.makeReady();
    const start = (...words: string[]) => program.start(...words);

    async function run(...words: string[]) {
        return end(start("-n", "hpc", ...words));
    }

    /** Makes a `pulumi` that prints these outputs of a stack. */
    function exportOutputs(outputs: object): void {
        writeFileSync(join(program.folder, "outputs.json"), JSON.stringify(outputs));
        writeFileSync(
            join(program.folder, "pulumi"),
            `#!/bin/sh\nexec cat '${join(program.folder, "outputs.json")}'\n`,
        );
        chmodSync(join(program.folder, "pulumi"), 0o755);
    }

    const cluster = { name: "lammps", namespace: "hpc", hosts: ["lammps-0"] };

    it("prints the whole log to a slow reader", async () => {
        api.logs.set("lammps-0-x", "0123456789abcde\n".repeat(200_000));
        const child = start("-c", "lammps", "-n", "hpc", "logs");
        let length = 0;
        for await (const chunk of child.stdout) {
            length += (chunk as Buffer).length;
            await new Promise((resolve) => setImmediate(resolve));
        }
        assert.equal(length, 3_200_000);
    });

    it("tells in the status which check of preflight has failed on a rank, and why", async () => {
        const putPod = (rank: number, state: object, spec: object = { containers: [] }) => {
            const labels = {
                "batch.kubernetes.io/job-name": "lammps",
                "batch.kubernetes.io/job-completion-index": `${rank}`,
            };
            api.put("pods", {
                metadata: { name: `lammps-${rank}-x`, labels, ownerReferences: [{ uid: "job-uid" }] },
                spec,
                status: { phase: "Running", containerStatuses: [{ name: "flux", started: true, ready: false, state }] },
            });
        };
        const command = ["/bin/sh", "/etc/flux-minicluster/joined.sh"];
        const env = [{ name: "MINICLUSTER_PROGRAMS" }];
        const containers = [{ name: "flux", env, readinessProbe: { exec: { command } } }];
        putPod(1, { running: {} }, { containers, nodeName: "gpu-3" });
        const words = "preflight check gpu failed on rank 1: no device 3";
        api.logs.set("lammps-1-x", `looks\nminicluster: ${words}; this rank stays out of the cluster\n`);
        const message = "minicluster.error=preflight check clock failed on rank 2: late\n";
        putPod(2, { terminated: { exitCode: 78, reason: "Error", message } }, { containers: [{ name: "flux", env }] });
        const { code, stdout } = await run("-c", "lammps", "status");
        assert.equal(code, 0);
        assert.match(
            stdout,
            /^1 {5}stays out .*\n2 {5}exit code 78 .*\npreflight: gpu failed on rank 1 \(node gpu-3\): no device 3\npreflight: clock failed on rank 2: late\n$/m,
        );
        const { ranks } = JSON.parse((await run("-c", "lammps", "status", "--json")).stdout);
        assert.deepEqual(
            ranks.map(({ preflight }: { preflight?: string }) => preflight),
            [undefined, "gpu failed on rank 1: no device 3", "clock failed on rank 2: late"],
        );
        api.logs.clear();
        assert.match((await run("-c", "lammps", "status")).stdout, /^1 {5}stays out /m);
    });

    it("says in one sentence that a log has broken off, and doesn't request it again", async () => {
        api.serveLog = (_url, response) => {
            response.writeHead(200, { "content-type": "text/plain" });
            response.write("a\n", () => response.destroy());
        };
        assert.deepEqual(await run("-c", "lammps", "logs"), {
            code: 1,
            stdout: "a\n",
            stderr: "minicluster: the log of lammps-0-x can't be read: the connection to the API server broke\n",
        });
        assert.equal(api.requests.filter((request) => request.includes("/log")).length, 1);
    });

    it("follows a log beyond a lost connection", async () => {
        const log = new FakeLog();
        api.serveLog = log.serve;
        const pod = api.get("pods", "lammps-0-x")!;
        const statuses = (state: object) => [{ name: "flux", containerID: "one", state }];
        api.put("pods", { ...pod, status: { containerStatuses: statuses({ running: {} }) } });
        log.add("2026-01-01T00:00:00.1Z", "a\n");
        const ended = end(start("-n", "hpc", "-c", "lammps", "logs", "-f"));
        await api.seen(/follow=true/);
        log.cut("2026-01-01T00:00:00.2Z b");
        log.add("2026-01-01T00:00:00.2Z", "b\n");
        await api.seen(/follow=true/, 2);
        api.put("pods", { ...pod, status: { containerStatuses: statuses({ terminated: {} }) } });
        log.end();
        assert.deepEqual(await ended, { code: 0, stdout: "a\nb\n", stderr: "" });
    });

    it("ends at once, and without a word, if Ctrl-C is pressed while it follows a log", async () => {
        const log = new FakeLog();
        api.serveLog = log.serve;
        const child = start("-n", "hpc", "-c", "lammps", "logs", "-f");
        const ended = end(child);
        await api.seen(/follow=true/);
        child.kill("SIGINT");
        assert.deepEqual(await ended, { code: "SIGINT", stdout: "", stderr: "" });
    });

    /** Makes the lead ready, and answers its calls: submit, and then what follows the job. */
    function serveJob(followed: readonly [string, number][]): void {
        makeReady();
        const answers = [...followed];
        api.serveCommands((connection) =>
            onCall(connection, ([name], socket) => {
                const [text, exitCode] = name === "follow" ? answers.shift()! : ["f26Zqx\n", 0];
                socket.send(printed(1, text));
                socket.send(endOf(exitCode));
            }),
        );
    }

    it("exits with the exit code of a job whose lead was lost meanwhile", async () => {
        serveJob([
            [frame("stdout", "a"), 137],
            [frame("stdout", "b") + endFrame(), 0],
        ]);
        const { code, stderr, stdout } = await run("-c", "lammps", "submit", "true");
        assert.deepEqual([code, stdout, stderr], [0, "ab", ""]);
    });

    it("says of a job that starts tasks itself what to submit in its place", async () => {
        serveJob([[endFrame(), 0]]);
        const { code, stderr } = await run("-c", "lammps", "submit", "-N", "2", "mpirun", "./a");
        assert.equal(code, 0);
        assert.equal(
            stderr,
            "minicluster: the command calls mpirun, which starts tasks itself; here each task of the command calls it. " +
                "Give the program itself behind the options -N and -n, so that Flux starts it: docs/mpi.md.\n",
        );
    });

    it("prints all output of a job to a slow reader", async () => {
        const line = "0123456789abcde\n";
        serveJob([[frame("stdout", line.repeat(500_000)) + endFrame(), 0]]);
        const child = start("-n", "hpc", "-c", "lammps", "submit", "true");
        let length = 0;
        for await (const chunk of child.stdout) {
            length += (chunk as Buffer).length;
            await new Promise((resolve) => setImmediate(resolve));
        }
        assert.equal(length, 500_000 * line.length);
    });

    it("shows what a job has printed until now, with logs", async () => {
        makeReady();
        const events = `events\n${JSON.stringify({ timestamp: 1, name: "submit" })}\n`;
        api.serveCommands((connection) =>
            onCall(connection, ([name], socket) => {
                socket.send(printed(1, frame("stdout", "a\n") + events));
                socket.send(endOf(name === "show" ? 0 : 1));
            }),
        );
        assert.deepEqual(await run("logs", "lammps", "f26Zqx"), { code: 0, stdout: "a\n", stderr: "" });
        const { stdout } = await run("logs", "lammps", "f26Zqx", "--json");
        assert.deepEqual(JSON.parse(stdout), { jobId: "f26Zqx", exitCode: null, output: "a\n" });
    });

    it("says that Flux doesn't know a job, and which words aren't one", async () => {
        makeReady();
        api.serveCommands((connection) => onCall(connection, (_words, socket) => socket.send(endOf(64))));
        assert.deepEqual(await run("explain", "lammps", "f26Zqx"), {
            code: 1,
            stdout: "",
            stderr: "minicluster: Flux doesn't know job f26Zqx. minicluster jobs lists those that it knows\n",
        });
        assert.match(
            (await run("logs", "lammps", "f26Zqx")).stderr,
            /^minicluster: job f26Zqx can't be followed: Flux doesn't know it\./,
        );
        const { code, stderr } = await run("cancel", "-c", "lammps", "flux");
        assert.equal(code, 2);
        assert.match(
            stderr,
            /^minicluster: "flux" is no id of a job; it must be .*\nTry minicluster cancel --help\.\n$/,
        );
    });

    it("prints the errors of Flux for jobs that can't be cancelled", async () => {
        makeReady();
        api.serveCommands((connection) =>
            onCall(connection, (_words, socket) => {
                socket.send(printed(2, "flux-cancel: ERROR: ƒ26Zqx: job is inactive\n"));
                socket.send(endOf(1));
            }),
        );
        const { code, stderr } = await run("cancel", "lammps", "f26Zqx", "f26Zqy");
        assert.deepEqual([code, stderr], [1, "minicluster: not cancelled: f26Zqx: job is inactive\n"]);
        const { stdout } = await run("cancel", "lammps", "f26Zqx", "--json");
        assert.deepEqual(JSON.parse(stdout), { jobIds: ["f26Zqx"], errors: ["f26Zqx: job is inactive"] });
        const decimal = await run("cancel", "lammps", "1234567890123");
        assert.equal(decimal.stderr, "minicluster: not cancelled: 1234567890123: f26Zqx: job is inactive\n");
    });

    it("prints the jobs that are new or have changed, with jobs --watch", async () => {
        makeReady();
        const line = (jobId: string, status: string, seconds: number) =>
            `${jobId}\t${status}\t\t1\t1\t${seconds}\tsolve\n`;
        const answers = [
            line("f1", "RUN", 1),
            line("f1", "RUN", 3),
            line("f2", "SCHED", 0) + line("f1", "COMPLETED", 4),
        ];
        api.serveCommands((socket) => {
            socket.send(printed(1, answers.length > 1 ? answers.shift()! : answers[0]));
            socket.send(endOf(0));
        });
        const child = start("-n", "hpc", "jobs", "lammps", "--watch", "--json");
        const seen: string[] = [];
        for await (const chunk of child.stdout) {
            seen.push(...String(chunk).split("\n").filter(Boolean));
            if (seen.length === 3) {
                child.kill("SIGINT");
            }
        }
        const rows = seen.map((text) => JSON.parse(text) as { jobId: string; status: string });
        assert.deepEqual(
            rows.map(({ jobId, status }) => `${jobId} ${status}`),
            ["f1 RUN", "f1 COMPLETED", "f2 SCHED"],
        );
    });

    it("lists jobs with another call if the lead's pod ends meanwhile", async () => {
        makeReady();
        const row = "f26Zqx\tCOMPLETED\t0\t1\t1\t2.5\tsolve\n";
        let calls = 0;
        api.serveCommands((socket) => {
            socket.send(printed(1, calls > 0 ? row : ""));
            socket.send(endOf(calls++ > 0 ? 0 : 137));
        });
        const { code, stderr, stdout } = await run("-c", "lammps", "jobs", "--json");
        assert.deepEqual([code, stderr, JSON.parse(stdout)[0].jobId], [0, "", "f26Zqx"]);
    });

    for (const [what, state, code, stderr] of [
        ["exits with 137 of a shell that was killed", {}, 137, ""],
        [
            "doesn't take the end of a shell's pod for the shell's exit code",
            { deletionTimestamp: new Date().toISOString() },
            1,
            "minicluster: the shell was killed (137), because its pod lammps-0-x has ended.\n",
        ],
    ] as const) {
        it(what, async () => {
            const pod = api.get("pods", "lammps-0-x")!;
            api.serveCommands((socket) => {
                api.put("pods", { ...pod, metadata: { ...pod.metadata, ...state } });
                socket.send(endOf(137));
            });
            assert.deepEqual(await run("-c", "lammps", "shell"), { code, stdout: "", stderr });
        });
    }

    it("says why the lead doesn't accept a forwarded connection", async () => {
        makeReady();
        api.serveCommands((socket) => {
            const port = Buffer.from([9999 & 0xff, 9999 >> 8]);
            [0, 1].forEach((stream) => socket.send(Buffer.concat([Buffer.from([stream]), port])));
            socket.send(printed(1, "connection refused"));
            socket.close();
        });
        const child = start("-n", "hpc", "-c", "lammps", "forward", "0:9999", "--json");
        const [line] = (await once(child.stdout, "data")) as [Buffer];
        const socket = connect(JSON.parse(String(line)).port, "127.0.0.1");
        await once(socket.resume(), "close");
        const ended = end(child);
        child.kill("SIGINT");
        const { code, stderr } = await ended;
        assert.deepEqual([code, stderr], [130, "minicluster: port 9999 of the lead: connection refused\n"]);
    });

    it("reads the outputs of a stack if they are larger than 1 MiB", async () => {
        exportOutputs({ cluster: { ...cluster, uid: "job-uid" }, output: "x".repeat(2 ** 21) });
        const { code, stderr, stdout } = await run("status");
        assert.deepEqual([code, stderr], [0, ""]);
        assert.match(stdout, /^hpc\/lammps: ready, 1 of 1 ranks are ready\nRANK .*\n0 /);
    });

    it("refuses a cluster whose Job has another UID than the stack's", async () => {
        exportOutputs({ cluster: { ...cluster, uid: "another" } });
        for (const command of ["status", "jobs", "logs"]) {
            const { code, stderr } = await run(command);
            assert.equal(code, 1);
            assert.match(
                stderr,
                /MiniCluster hpc\/lammps is not the stack's cluster: its Job has the UID job-uid, the stack has another\./,
            );
        }
    });

    it("says of an empty namespace that it has no cluster, also in list", async () => {
        api.remove("jobs", "lammps");
        const { code, stderr, stdout } = await run("list");
        assert.deepEqual([code, stdout], [0, ""]);
        assert.match(stderr, /^minicluster: There is no MiniCluster in the namespace hpc of the cluster at \S+\.\n$/);
    });

    it("says of a cluster that has ended why it has no shell and no log", async () => {
        const conditions = [{ type: "Complete", status: "True", reason: "CompletionsReached" }];
        api.put("jobs", { ...api.get("jobs", "lammps")!, status: { conditions } });
        api.put("pods", { ...api.get("pods", "lammps-0-x")!, status: { phase: "Succeeded" } });
        const { code, stderr } = await run("-c", "lammps", "shell");
        assert.equal(code, 1);
        assert.match(stderr, /^minicluster: MiniCluster hpc\/lammps has ended\. Change its triggers to run it again; /);
        api.remove("pods", "lammps-0-x");
        assert.match((await run("-c", "lammps", "logs")).stderr, /lammps has ended, and the pod of rank 0 isn't there/);
    });

    it("refuses a cluster in front of the command of submit", async () => {
        exportOutputs({ cluster: { ...cluster, uid: "job-uid" } });
        const { code, stderr } = await run("submit", "lammps", "--", "hostname");
        assert.equal(code, 2);
        assert.match(stderr, /the program of the job is "lammps", which is a MiniCluster\. Write submit -c lammps --/);
    });
});
