import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { root } from "../../../local/paths";
import { FakeApi } from "../support/fakeApi";

/** The built program, as users run it. The build bundles the Kubernetes client, which then loads ten times as fast. */
const main = join(root, "dist", "cli", "main.js");

describe("minicluster", () => {
    let api: FakeApi;
    let folder: string;

    beforeEach(async () => {
        api = await FakeApi.start();
        folder = mkdtempSync(join(tmpdir(), "minicluster-"));
        writeFileSync(join(folder, "config"), api.kubeconfig);
        api.put("jobs", {
            metadata: { name: "lammps", uid: "job-uid" },
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

    afterEach(async () => {
        rmSync(folder, { recursive: true });
        await api.stop();
    });

    function start(...words: string[]) {
        const env = {
            ...process.env,
            KUBECONFIG: join(folder, "config"),
            PATH: `${folder}${delimiter}${process.env.PATH}`,
        };
        return spawn(process.execPath, [main, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    }

    async function run(...words: string[]) {
        const child = start("-n", "hpc", ...words);
        const [stdout, stderr, [code]] = await Promise.all([
            child.stdout.toArray(),
            child.stderr.toArray(),
            once(child, "close"),
        ]);
        return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
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

    it("reads the outputs of a stack if they are larger than 1 MiB", async () => {
        exportOutputs({ cluster: { ...cluster, uid: "job-uid" }, output: "x".repeat(2 ** 21) });
        const { code, stderr, stdout } = await run("status");
        assert.deepEqual([code, stderr], [0, ""]);
        assert.match(stdout, /^hpc\/lammps: ready, 1 of 1 ranks are ready\nRANK .*\n0 /);
    });

    it("refuses a cluster whose Job has another UID than the stack's", async () => {
        exportOutputs({ cluster: { ...cluster, uid: "another" } });
        for (const command of [["status"], ["jobs"]]) {
            const { code, stderr } = await run(...command);
            assert.equal(code, 1);
            assert.match(
                stderr,
                /MiniCluster hpc\/lammps is not the stack's cluster: its Job has the UID job-uid, the stack has another\./,
            );
        }
        assert.match((await run("logs")).stderr, /hpc\/lammps has no rank 0; it has no pods/);
    });
});
