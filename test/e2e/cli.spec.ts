import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";
import { until } from "./support/until";
import { sharedCluster } from "./support/sharedCluster";

const main = join(root, "dist", "cli", "main.js");

describe("minicluster command", () => {
    const namespace = useNamespace();
    let stack: TestStack;

    before(async () => {
        stack = namespace.stack("line", async () => ({
            cluster: new MiniCluster("line", { image: namespace.image, size: 2 }),
        }));
        await stack.up();
        await namespace.untilCounted("line", 2);
    });

    function start(words: readonly string[], program = process.execPath, kubeconfig = namespace.kubeconfig) {
        const env = { ...process.env, KUBECONFIG: kubeconfig };
        const child = spawn(program, words, { env, stdio: ["pipe", "pipe", "pipe"] });
        const running = { child, stdout: "", stderr: "" };
        child.stdout.on("data", (chunk: Buffer) => (running.stdout += chunk));
        child.stderr.on("data", (chunk: Buffer) => (running.stderr += chunk));
        return running;
    }

    /** Runs the command to its end with these words and this standard input. */
    async function run(words: readonly string[], input = "") {
        const running = start([main, "-c", "line", ...words]);
        running.child.stdin.end(input);
        const [code] = await once(running.child, "close");
        return { code, stdout: running.stdout, stderr: running.stderr };
    }

    it("lists the cluster and its ranks", async () => {
        const { stdout: list } = await run(["list", "--json"]);
        assert.deepEqual(
            JSON.parse(list).map(({ name, phase, ready, size }: any) => [name, phase, ready, size]),
            [["line", "ready", 2, 2]],
        );
        const { stdout: text } = await run(["status"]);
        assert.match(
            text,
            /^e2e-\w+\/line: ready, 2 of 2 ranks are ready\nRANK {2}STATE .*\n0 {5}ready .*\n1 {5}ready .*\n$/,
        );
        const { code, stderr } = await run(["status", "-c", "nobody"]);
        assert.equal(code, 1);
        assert.match(
            stderr,
            /^minicluster: There is no MiniCluster nobody in the namespace \S+ of the cluster at \S+\.\n$/,
        );
    });

    it("runs a job with unchanged words, separate streams and the job's exit code", async () => {
        const words = ["sh", "-c", 'echo "$X $1"; echo why >&2; exit 5', "sh", "a  b {{id}}"];
        const { code, stderr, stdout } = await run([
            "submit",
            "-N",
            "2",
            "--env",
            "X=it's $HOME",
            "--job-name",
            "two",
            "--",
            ...words,
        ]);
        assert.deepEqual([code, stdout], [5, "it's $HOME a  b {{id}}\n".repeat(2)]);
        assert.match(stderr, /^why\nwhy\n/m);
        const { stdout: jobs } = await run(["jobs", "--json"]);
        const [job] = JSON.parse(jobs);
        assert.deepEqual([job.name, job.status, job.exitCode, job.nodes], ["two", "FAILED", 5, 2]);
    });

    it("gives a job the run options of a FluxJob, and refuses contradictions", async () => {
        const options = ["-N2", "--tasks-per-node=2", "--requires=rank:0-1", "-oexit-timeout=none", "--urgency=20"];
        const { code, stdout } = await run(["run", ...options, "--", "sh", "-c", "echo $FLUX_TASK_LOCAL_ID"]);
        assert.deepEqual([code, stdout.split("\n").sort()], [0, ["", "0", "0", "1", "1"]]);
        const refused = await run(["run", "--exclusive", "true"]);
        assert.equal(refused.code, 2);
        assert.match(refused.stderr, /^minicluster: --exclusive is true, but nodes is missing; .* Give nodes\.\n/);
    });

    it("reports the ranks, their cores and the jobs, as a page and as data", async () => {
        const { stderr, stdout } = await run(["report", "--json"]);
        // On a busy machine, a wait of more than 5 s is told.
        assert.equal(stderr.replace(/^minicluster: waits for .*\n/gm, ""), "");
        const report = JSON.parse(stdout);
        const job = report.jobs.find(({ name }: any) => name === "two");
        assert.deepEqual(
            [job.state, job.reason, job.nodes, job.resources[0].ranks],
            ["failed", "exit code 5", 2, "0-1"],
        );
        assert.ok(job.submittedAt <= job.allocatedAt && job.startedAt <= job.finishedAt);
        assert.deepEqual([report.cluster.phase, report.missing, report.pods.length], ["ready", [], 2]);
        assert.ok(report.pods.every(({ joinedAt, startedAt }: any) => joinedAt >= startedAt));
        assert.ok(report.usage.utilisation > 0 && report.usage.steps.at(-1).ranks === 2);
        assert.ok(report.failures.some(({ message }: any) => message === "exit code 5"));
        const page = await run(["report", "--output", "-"]);
        assert.match(page.stdout, /^<!doctype html>[^]*<h1>MiniCluster e2e-\w+\/line<\/h1>[^]*<svg class="chart"/);
    });

    it("copies a folder into a rank and out of it, and says what can't be copied", async () => {
        const folder = mkdtempSync(join(tmpdir(), "cp-"));
        try {
            mkdirSync(join(folder, "in", "empty"), { recursive: true });
            writeFileSync(join(folder, "in", "it's a b"), "text", { mode: 0o640 });
            writeFileSync(join(folder, "in", "big"), Buffer.alloc(20_000_000, "0123456789"));
            symlinkSync("big", join(folder, "in", "link"));
            const sent = await run(["cp", join(folder, "in"), "1:/tmp"]);
            assert.deepEqual(sent, { code: 0, stdout: "2 files, 20 MB: /tmp/in\n", stderr: "" });
            const look =
                "cd /tmp/in && stat -c '%n %a %s %F' * && readlink link && ls -A /tmp | grep -c minicluster-cp";
            assert.equal(
                await namespace.exec("line", ["sh", "-c", `${look} || true`], 1),
                "big 644 20000000 regular file\nempty 755 4096 directory\nit's a b 640 4 regular file\nlink 777 3 symbolic link\nbig\n0\n",
            );
            const got = await run(["cp", "1:/tmp/in", join(folder, "out"), "--json"]);
            const { files, folders, links, sha256, skipped, target } = JSON.parse(got.stdout);
            assert.deepEqual([files, folders, links, skipped, target], [2, 2, 1, [], join(folder, "out")]);
            assert.match(sha256, /^[0-9a-f]{64}$/);
            assert.deepEqual(readdirSync(join(folder, "out")).sort(), ["big", "empty", "it's a b", "link"]);
            assert.ok(readFileSync(join(folder, "out", "big")).equals(readFileSync(join(folder, "in", "big"))));
            const refused = await run(["cp", ":/nothing", folder]);
            assert.equal(refused.code, 1);
            assert.match(refused.stderr, /^minicluster: pod line-0-\w+: there is no \/nothing\n$/);
            const elsewhere = await run(["cp", join(folder, "in"), "7:/tmp"]);
            assert.match(elsewhere.stderr, /has no rank 7; it has 0, 1\. Give --new-pod: /);
            assert.deepEqual(readdirSync(folder).sort(), ["in", "out"]);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("cancels a job at the first Ctrl-C and exits with the job's exit code", async () => {
        const running = start([
            main,
            "-c",
            "line",
            "submit",
            "--job-name",
            "long",
            "sh",
            "-c",
            "echo begun; exec sleep 600",
        ]);
        await until("the job prints its first line", async () => running.stdout.includes("begun") || undefined);
        const runs = async () =>
            /\blong$/m.test(await namespace.exec("line", ["flux", "jobs", "--filter=run", "-no", "{name}"])) ||
            undefined;
        await until("the job runs", runs);
        running.child.kill("SIGINT");
        const [code] = await once(running.child, "close");
        assert.equal(code, 143, running.stderr);
    });

    it("says why a job waits, cancels the job that holds its resources, and attaches to it", async () => {
        const submit = async (...words: string[]) => (await run(["submit", "--detach", ...words])).stdout.trim();
        const holder = await submit("--job-name", "holder", "-N2", "-x", "sleep", "600");
        const waiting = await submit("-N2", "-n2", "sh", "-c", "echo done; exit 3");
        const { stdout: text } = await run(["explain", waiting]);
        assert.match(
            text,
            /^sh \(f\w+\)\nIt needs 2 nodes with 2 cores; 0 cores are free\.\n1 job has resources: holder \(f/,
        );
        const { stdout: json } = await run(["explain", waiting, "--json"]);
        assert.equal(JSON.parse(json).reason, "resources");
        const { stdout: pending } = await run(["jobs", "--filter", "pending", "--json"]);
        assert.deepEqual(
            JSON.parse(pending).map(({ jobId }: any) => jobId),
            [waiting],
        );
        assert.deepEqual(await run(["cancel", holder]), { code: 0, stdout: `cancelled ${holder}\n`, stderr: "" });
        const attached = await run(["attach", waiting]);
        assert.deepEqual([attached.code, attached.stdout], [3, "done\ndone\n"]);
        assert.equal((await run(["logs", waiting])).stdout, "done\ndone\n");
        const { stdout: failure } = await run(["explain", waiting]);
        assert.match(failure, /It has failed with exit code 3\.\n[^]*The end of its output:\n {2}done\n {2}done\n/);
    });

    it("shows and follows the log of a rank", async () => {
        const following = start([main, "-c", "line", "logs", "-f", "1"]);
        await namespace.exec("line", ["sh", "-c", "echo marked >/proc/1/fd/1"], 1);
        await until("the line is printed", async () => following.stdout.includes("marked") || undefined);
        following.child.kill();
        await once(following.child, "close");
        assert.match((await run(["logs", "1"])).stdout, /marked/);
    });

    it("opens a shell on a rank and exits with the shell's exit code", async () => {
        const { code, stdout } = await run(["shell", "1"], "hostname; exit 3\n");
        assert.deepEqual([code, stdout], [3, "line-1\n"]);
    });

    it("passes on its terminal to the shell and prints colours in a terminal", async () => {
        const command = (words: string) => ["-qec", `"${process.execPath}" "${main}" -c line ${words}`, "/dev/null"];
        const shell = start(command("shell"), "script");
        await until("the shell prints its prompt", async () => /[#$] $/.test(shell.stdout) || undefined);
        shell.child.stdin.write("test -t 0 && echo terminal: $TERM\nflux getattr rank\nexit 7\n");
        const [code] = await once(shell.child, "close");
        assert.equal(code, 7, shell.stdout);
        assert.match(shell.stdout, /^terminal: \S+\r$/m);
        const status = start(command("status"), "script");
        await once(status.child, "close");
        assert.match(status.stdout, /\u001b\[32mready\u001b\[0m/);
    });

    it("forwards a port of the lead to localhost", async () => {
        const server = "import socket; s = socket.create_server(('127.0.0.1', 9999)); s.accept()[0].sendall(b'hello')";
        await namespace.exec("line", ["sh", "-c", `setsid python3 -c "${server}" >/dev/null 2>&1 &`]);
        const listens = 'grep -q ":270F .* 0A " /proc/net/tcp && echo yes || true';
        await until(
            "the port is open",
            async () => (await namespace.exec("line", ["sh", "-c", listens])).includes("yes") || undefined,
        );
        // The right to forward ports is not in docs/rbac.yaml, so the test uses the administrator's kubeconfig.
        const { cluster } = await sharedCluster();
        const words = [main, "-c", "line", "-n", namespace.name, "forward", "0:9999", "--json"];
        const running = start(words, process.execPath, cluster.kubeconfig);
        await until("the command prints the local port", async () => running.stdout.includes("\n") || undefined);
        const socket = connect(JSON.parse(running.stdout).port, "127.0.0.1");
        socket.on("error", () => undefined);
        assert.equal(String((await once(socket, "data"))[0]), "hello");
        socket.destroy();
        running.child.kill("SIGINT");
        const [code] = await once(running.child, "close");
        assert.equal(code, 130);
    });

    it("finds the cluster in the outputs of a stack", async () => {
        const { workDir: cwd, envVars } = (await stack.open()).workspace as unknown as {
            workDir: string;
            envVars: Record<string, string>;
        };
        const child = spawn(process.execPath, [main, "jobs", "--stack", "line", "--json"], {
            cwd,
            env: { ...process.env, ...envVars },
        });
        let [stdout, stderr] = ["", ""];
        child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
        child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
        const [code] = await once(child, "close");
        assert.equal(code, 0, stderr);
        assert.equal(
            JSON.parse(stdout).some(({ name }: any) => name === "two"),
            true,
        );
    });
});
