import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { root } from "../../../../scripts/local/paths";
import { labelsOf } from "../../../../provider/contract/labels";
import { useApi } from "../../support/fakeApi";
import { ended, putCluster, putJob, putPod } from "./support";

const main = join(root, "dist", "cli", "main.js");

describe("minicluster doctor as a command", () => {
    const api = useApi((made) => {
        putCluster(made);
        putJob(made, {}, { metadata: { name: "lammps", uid: "job-uid", labels: labelsOf("lammps") } });
    });
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "minicluster-"));
        writeFileSync(join(folder, "config"), api.kubeconfig);
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    /** Makes a `pulumi` that prints these outputs of a stack. */
    function exportOutputs(outputs: object): void {
        writeFileSync(join(folder, "outputs.json"), JSON.stringify(outputs));
        writeFileSync(join(folder, "pulumi"), `#!/bin/sh\nexec cat '${join(folder, "outputs.json")}'\n`);
        chmodSync(join(folder, "pulumi"), 0o755);
    }

    async function run(...words: string[]) {
        const [KUBECONFIG, PATH] = [join(folder, "config"), `${folder}${delimiter}${process.env.PATH}`];
        const env = { ...process.env, npm_command: "", KUBECONFIG, PATH };
        const child = spawn(process.execPath, [main, "doctor", ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
        const [out, err, [code]] = await Promise.all([
            child.stdout.toArray(),
            child.stderr.toArray(),
            once(child, "close"),
        ]);
        return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
    }

    it("examines the named cluster, and exits with 0 if no check has failed", async () => {
        for (const words of [["lammps"], ["-c", "lammps"]]) {
            const { code, stderr, stdout } = await run("-n", "hpc", ...words);
            assert.deepEqual([code, stderr], [0, ""]);
            assert.match(
                stdout,
                /^MiniCluster hpc\/lammps\nkubeconfig\n {2}ok {11}context fake: [^]*\nNo check failed/,
            );
        }
    });

    it("exits with 1 if a check has failed, and prints JSON", async () => {
        const { code, stdout } = await run("-n", "hpc", "--json", "nobody");
        const { checks, cluster, healthy, namespace } = JSON.parse(stdout);
        assert.deepEqual([code, namespace, cluster, healthy], [1, "hpc", "nobody", false]);
        const [failed] = checks.filter(({ level }: { level: string }) => level === "fail");
        assert.match(failed.text, /^There is no MiniCluster nobody in the namespace hpc of the cluster at \S+\.$/);
    });

    it("examines the cluster that the stack exports, and refuses another Job of its name", async () => {
        const cluster = { name: "lammps", namespace: "hpc", hosts: ["lammps-0"] };
        exportOutputs({ cluster: { ...cluster, uid: "job-uid" } });
        assert.match((await run()).stdout, /^MiniCluster hpc\/lammps\n/);
        exportOutputs({ cluster: { ...cluster, uid: "another" } });
        assert.match(
            (await run()).stdout,
            /^ {2}fail {9}MiniCluster hpc\/lammps is not the stack's cluster: its Job has/m,
        );
    });

    it("examines the namespace if it has no cluster, and says why", async () => {
        exportOutputs({ some: "output" });
        api.remove("jobs", "lammps");
        const { code, stdout } = await run("-n", "hpc");
        assert.equal(code, 0);
        assert.match(
            stdout,
            /^A MiniCluster in namespace hpc\nThere is no MiniCluster in the namespace hpc of the cluster at \S+\. .*: the stack exports no MiniCluster\. .*\nkubeconfig\n/,
        );
        assert.doesNotMatch(stdout, /^brokers$/m);
    });

    it("examines the only cluster of the namespace if the stack exports none, and says so", async () => {
        exportOutputs({ some: "output" });
        putPod(api, 1, ended(78, "minicluster.error=the image has no flux on PATH (/bin)\n"));
        const { code, stdout } = await run("-n", "hpc");
        assert.equal(code, 1);
        assert.match(
            stdout,
            /^MiniCluster hpc\/lammps\ntakes lammps, the only MiniCluster in the namespace hpc, because /,
        );
    });

    it("never finds nothing beside a broken cluster: of several, it examines those that aren't well", async () => {
        exportOutputs({ some: "output" });
        const labels = labelsOf("");
        putJob(api, {}, { metadata: { name: "lammps", uid: "job-uid", labels } });
        api.put("jobs", {
            metadata: { name: "broken", uid: "broken-uid", labels },
            spec: { parallelism: 1, completions: 1, template: { spec: { containers: [] } } },
            status: { conditions: [{ type: "Failed", status: "True", reason: "DeadlineExceeded", message: "late" }] },
        });
        const { code, stdout } = await run("-n", "hpc");
        assert.equal(code, 1);
        assert.match(stdout, /^MiniCluster hpc\/broken\n.*several MiniClusters: .*lammps \(ready, 2 of 2 ranks\)/);
        assert.match(stdout, /^pods\n {2}fail {9}the Job has failed: DeadlineExceeded/m);
    });

    it("tells an unusable kubeconfig as a check that has failed", async () => {
        writeFileSync(
            join(folder, "config"),
            api.kubeconfig.replace('"current-context":"fake"', '"current-context":"x"'),
        );
        const { code, stdout } = await run("lammps");
        assert.equal(code, 1);
        assert.match(stdout, /^ {2}fail {9}The kubeconfig can't be used: its current context is "x"/m);
        assert.match(stdout, /^queue\n {2}not checked {2}the kubeconfig can't be used$/m);
    });

    it("refuses two names", async () => {
        const { code, stderr } = await run("lammps", "namd");
        assert.equal(code, 2);
        assert.match(stderr, /^minicluster: doctor is given "namd"; its form is .*minicluster doctor \[CLUSTER\]\n/);
    });
});
