import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";

import { ending } from "../../provider/kubernetes/job";
import { root } from "../../scripts/local/paths";
import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

describe("the record of a run", () => {
    const namespace = useNamespace();

    /** What `report --json` prints of the cluster that the stack exports. */
    async function reportOf(cluster: ChangingCluster) {
        const { name, workspace } = await cluster.stack.open();
        const env = { ...process.env, ...workspace.envVars, KUBECONFIG: namespace.kubeconfig };
        const words = [join(root, "dist/cli/main.js"), "report", "--stack", name, "--json"];
        const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: workspace.workDir, env });
        return JSON.parse(stdout);
    }

    const command = ["bash", "-c", "echo done; exit $0"];

    class Run extends ChangingCluster {
        constructor(exitCode: number, more: Partial<ChangingCluster["args"]> = {}) {
            const args = {
                size: 2,
                command: [...command, String(exitCode)],
                environment: { MASS: "hunter2" },
                ...more,
            };
            // The whole cluster is an output, as in the programs of users.
            super(namespace, `code-${exitCode}`, args, undefined, () => Promise.resolve(this.program()));
        }
    }

    async function judge(cluster: Run, exitCode: number): Promise<void> {
        const { output, record } = cluster.child("status")!.outputs!;
        assert.deepEqual([record.exitCode, record.size, record.environment], [exitCode, 2, ["MASS"]]);
        assert.deepEqual(record.command, [...command, String(exitCode)]);
        assert.match(record.digests[0].image, /sha256:[0-9a-f]{64}/);
        // Flux says in the output that the command has failed.
        assert.match(output, /^(done\n)+(flux-job: .*\n)?$/);
        const sha256 = createHash("sha256").update(output).digest("hex");
        assert.deepEqual(record.output, { bytes: Buffer.byteLength(output), sha256 });
        assert.doesNotMatch(JSON.stringify(record), /hunter2/);
        const before = await reportOf(cluster);
        await cluster.removeJob();
        const after = await reportOf(cluster);
        const ofLead = (report: any) => report.pods.filter(({ rank }: any) => rank === 0);
        for (const part of [
            "cluster",
            "ran",
            "results",
            "timings",
            "slowest",
            "startedAt",
            "failures",
            "jobs",
            "usage",
        ]) {
            assert.deepEqual(after[part], before[part], part);
        }
        assert.deepEqual(ofLead(after), ofLead(before));
        assert.match(after.missing.join("\n"), /^Kubernetes' warnings, replaced pods and Flux' jobs: Job /);
        await cluster.stack.destroy();
    }

    it("stays in the state, and in the report after its Job is gone", async () => {
        const cluster = new Run(0);
        await cluster.stack.up();
        await cluster.stack.unchanged();
        assert.match(cluster.child("status")!.outputs!["record"].versions.kubernetes, /^1\.\d+$/);
        await judge(cluster, 0);
    });

    it("is found in the state if the update has failed with its command", async () => {
        const cluster = new Run(5);
        await cluster.stack.fails("up");
        await judge(cluster, 5);
    });

    it("is made by a refresh if no update has waited for the end", async () => {
        const cluster = new Run(3, { waitFor: "none", rerunFailed: false });
        await cluster.stack.up();
        await until("the command has failed", async () => (ending(await cluster.job())?.failed ? true : undefined));
        await cluster.stack.refresh();
        const { record } = cluster.child("status")!.outputs!;
        // The next update tells that the command has failed.
        await cluster.stack.fails("up");
        assert.deepEqual(cluster.child("status")!.outputs!["record"], record);
        assert.equal(record.failures[0].about, "Cluster");
        await judge(cluster, 3);
    });
});
