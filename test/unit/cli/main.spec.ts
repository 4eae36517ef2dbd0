import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { labelsOf, leadSelector } from "../../../provider/contract/labels";
import { useApi } from "../support/fakeApi";
import { endFrame, frame, onCall } from "../support/calls";
import { endOf, printed } from "../support/fakeExec";
import { FakeLog } from "../support/fakeLog";

/** The built program, as users run it. The build bundles the Kubernetes client, which then loads ten times as fast. */
const main = join(root, "dist", "cli", "main.js");

describe("minicluster", () => {
    const api = useApi();
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "minicluster-"));
        writeFileSync(join(folder, "config"), api.kubeconfig);
        api.put("jobs", {
            metadata: { name: "lammps", uid: "job-uid", labels: labelsOf("lammps") },
            spec: { parallelism: 1 },
            status: { ready: 1 },
        });
        const labels = { "batch.kubernetes.io/job-name": "lammps", "batch.kubernetes.io/job-completion-index": "0" };
        api.put("pods", {
            metadata: { name: "lammps-0-x", labels, annotations: labels, ownerReferences: [{ uid: "job-uid" }] },
            spec: { containers: [] },
            status: { phase: "Running" },
        });
    });

    afterEach(() => {
        rmSync(folder, { recursive: true });
    });

    function start(...words: string[]) {
        const env = {
            ...process.env,
            npm_command: "",
            KUBECONFIG: join(folder, "config"),
            PATH: `${folder}${delimiter}${process.env.PATH}`,
        };
        return spawn(process.execPath, [main, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    }

    async function run(...words: string[]) {
        return end(start("-n", "hpc", ...words));
    }

    async function end(child: ReturnType<typeof start>) {
        const [stdout, stderr, [code, signal]] = await Promise.all([
            child.stdout.toArray(),
            child.stderr.toArray(),
            once(child, "close"),
        ]);
        const texts = { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
        return { code: (code ?? signal) as number | string, ...texts };
    }

    /** Makes a `pulumi` that prints these outputs of a stack. */
    function exportOutputs(outputs: object): void {
        writeFileSync(join(folder, "outputs.json"), JSON.stringify(outputs));
        writeFileSync(join(folder, "pulumi"), `#!/bin/sh\nexec cat '${join(folder, "outputs.json")}'\n`);
        chmodSync(join(folder, "pulumi"), 0o755);
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

    function makeReady(): void {
        const pod = api.get("pods", "lammps-0-x")!;
        const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
        const labels = { ...pod.metadata.labels, ...leadSelector("lammps") };
        api.put("pods", { ...pod, metadata: { ...pod.metadata, labels }, status: { phase: "Running", conditions } });
    }

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

    /** Interrupts a submission before Flux has told the job's id; `answers` calls tell it afterwards. */
    async function interruptSubmission(answers: boolean, ...options: string[]) {
        makeReady();
        const calls: string[] = [];
        let tellId: () => void = () => undefined;
        let tellCancelled: () => void = () => undefined;
        const cancelled = new Promise<void>((resolve) => (tellCancelled = resolve));
        let tellSubmitting: () => void = () => undefined;
        const submitting = new Promise<void>((resolve) => (tellSubmitting = resolve));
        api.serveCommands((connection) =>
            onCall(connection, ([name], socket) => {
                calls.push(name);
                if (name === "submit") {
                    tellId = () => {
                        socket.send(printed(1, "f26Zqx\n"));
                        socket.send(endOf(0));
                    };
                    tellSubmitting();
                    return;
                }
                if (name === "cancel") {
                    tellCancelled();
                    socket.send(endOf(0));
                } else {
                    void cancelled.then(() => socket.send(printed(1, endFrame(15)))).then(() => socket.send(endOf(0)));
                }
            }),
        );
        const child = start("-n", "hpc", "-c", "lammps", "submit", ...options, "true");
        const ended = end(child);
        await submitting;
        child.kill("SIGINT");
        await once(child.stderr, "readable");
        if (answers) {
            tellId();
        }
        return { ...(await ended), calls };
    }

    it("cancels a job whose id Flux tells after Ctrl-C, also with --detach", async () => {
        for (const options of [[], ["--detach"]]) {
            const { calls, code, stdout } = await interruptSubmission(true, ...options);
            assert.deepEqual([code, stdout, calls.sort()], [143, "", ["cancel", "follow", "submit"]]);
        }
    });

    it("says that a job may run whose id Flux doesn't tell after Ctrl-C", async () => {
        const { calls, code, stderr } = await interruptSubmission(false);
        assert.deepEqual([code, calls], [1, ["submit"]]);
        assert.match(
            stderr,
            /the submission was interrupted, and job true may still run\. If \S.* jobs lists it, \S.* cancel/,
        );
    });

    it("cancels a job that it is attached to with the second Ctrl-C, and exits with the job's exit code", async () => {
        makeReady();
        const calls: string[] = [];
        let endFollowed: () => void = () => undefined;
        api.serveCommands((connection) =>
            onCall(connection, ([name, jobId, key], socket) => {
                calls.push(`${name} ${jobId}`);
                if (name === "cancel") {
                    socket.send(endOf(0));
                    endFollowed();
                    return;
                }
                assert.equal(key, "");
                socket.send(printed(1, frame("stdout", "begun\n")));
                endFollowed = () => {
                    socket.send(printed(1, endFrame(15)));
                    socket.send(endOf(0));
                };
            }),
        );
        const child = start("-n", "hpc", "attach", "lammps", "ƒ26Zqx");
        const ended = end(child);
        await once(child.stdout, "readable");
        child.kill("SIGINT");
        await once(child.stderr, "readable");
        child.kill("SIGINT");
        const { code, stderr, stdout } = await ended;
        assert.deepEqual([code, stdout, calls], [143, "begun\n", ["follow f26Zqx", "cancel f26Zqx"]]);
        const asked = "minicluster: another Ctrl-C within 2 s cancels f26Zqx, Ctrl-Z leaves it\n";
        assert.equal(stderr, `${asked}minicluster: cancelling f26Zqx\n`);
    });

    it("leaves a job that it is attached to with Ctrl-C and Ctrl-Z", async () => {
        makeReady();
        api.serveCommands((connection) =>
            onCall(connection, (_words, socket) => socket.send(printed(1, frame("stdout", "begun\n")))),
        );
        const child = start("-n", "hpc", "attach", "lammps", "f26Zqx");
        const ended = end(child);
        await once(child.stdout, "readable");
        child.kill("SIGINT");
        await once(child.stderr, "readable");
        child.kill("SIGTSTP");
        const { code, stderr } = await ended;
        assert.equal(code, 148);
        assert.match(stderr, /minicluster: job f26Zqx runs on\n$/);
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
