import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { describePlan } from "../../../../cli/plan/text";
import type { ClusterPlan } from "../../../../provider/plan/clusterPlan";
import type { JobPlan } from "../../../../provider/plan/jobPlan";
import { summarize } from "../../../../provider/plan/limits";
import { root } from "../../../../scripts/local/paths";

const RUNNING = { jobId: "f2x", name: "train", ranks: "0-1", seconds: 10_800 };
const WAITING = { jobId: "f4z", name: "later", ranks: "", seconds: 0 };

const CLUSTER: ClusterPlan = {
    urn: "urn:pulumi:dev::science::job::lammps-job",
    name: "lammps",
    namespace: "hpc",
    operation: "replace",
    fit: { class: "waits", text: "4 pods of 8 cpu: 3 fit now." },
    nodeHours: 16,
    ends: { effect: "replaces the Job", running: [RUNNING], pending: [WAITING], keepsPending: false, kills: true },
};
const JOB: JobPlan = {
    urn: "",
    name: "solve",
    cluster: "hpc/lammps",
    operation: "delete",
    jobId: "f9",
    running: [RUNNING],
    pending: [WAITING, WAITING],
    kills: true,
};

const textOf = (clusters: readonly ClusterPlan[], jobs: readonly JobPlan[] = [], errors: readonly string[] = []) =>
    describePlan(summarize(clusters, jobs, errors))
        .split("\n")
        .slice(0, -1);

describe("minicluster plan", () => {
    it("says for each cluster what starts, ends and is lost, and for each FluxJob what it cancels", () => {
        assert.deepEqual(textOf([CLUSTER], [JOB]), [
            "MiniCluster hpc/lammps: replace",
            "  fit: waits: 4 pods of 8 cpu: 3 fit now.",
            "  time: at most 16 node-hours",
            "  replaces the Job",
            "  ends: job train (f2x, ranks 0-1, for 3 h 0 min)",
            "  loses: job later (f4z), which waits",
            "FluxJob solve (f9 on hpc/lammps): delete, ends a running job, cancels 2 that wait",
            "Together: at most 16 node-hours; running work may end.",
        ]);
    });

    it("says what isn't known", () => {
        const ends = { ...CLUSTER.ends!, running: [], pending: [], unknown: "jobs is forbidden" };
        const lines = textOf(
            [{ ...CLUSTER, fit: undefined, nodeHours: null, ends }],
            [{ ...JOB, running: [], pending: [], unknown: "the lead hangs" }],
        );
        assert.deepEqual(lines.slice(1), [
            "  time: node-hours not known: no time limit, or a value that the preview doesn't show",
            "  replaces the Job",
            "  not known: jobs is forbidden",
            "FluxJob solve (f9 on hpc/lammps): delete, not known whether it runs: the lead hangs",
            "Together: node-hours not known: no time limit, or a value that the preview doesn't show; running work may end.",
        ]);
    });

    it("names a command, and what an archive keeps", () => {
        const ends = { ...CLUSTER.ends!, running: [], keepsPending: true, command: { seconds: 60, pods: 4 } };
        assert.deepEqual(textOf([{ ...CLUSTER, fit: { class: "now", text: "" }, nodeHours: 0, ends }]).slice(1, -1), [
            "  fit: now",
            "  replaces the Job",
            "  ends: its command, which has been running for 60 s in 4 pods",
            "  keeps: job later (f4z), which waits",
        ]);
    });

    it("names the results that are lost with a command's pods", () => {
        const results = { count: 2, bytes: 3_000_000, until: "2026-11-30T00:00:00Z" };
        const ends = { ...CLUSTER.ends!, running: [], pending: [], results };
        assert.deepEqual(textOf([{ ...CLUSTER, fit: undefined, ends }]).slice(2, -1), [
            "  replaces the Job",
            "  loses: the results of its command (2 files, 2.9 MiB), which are not fetched",
        ]);
    });

    it("names twenty jobs of each kind", () => {
        const ends = { ...CLUSTER.ends!, running: Array.from({ length: 23 }, () => RUNNING), pending: [] };
        const lines = textOf([{ ...CLUSTER, ends }]);
        assert.equal(lines.filter((line) => line.startsWith("  ends: job")).length, 20);
        assert.ok(lines.includes("  ends: 3 more jobs (--json has all)"));
    });

    it("says that nothing changes, and repeats why Pulumi refuses a change", () => {
        assert.deepEqual(textOf([], [], ["interrupt: no"]), [
            "Pulumi refuses the change: interrupt: no",
            "No MiniCluster and no FluxJob changes.",
            "Together: at most 0 node-hours; no running work ends.",
        ]);
    });

    describe("as a program", () => {
        const run = (input: string, ...words: string[]) => {
            const main = join(root, "dist", "cli", "main.js");
            const { status, stderr, stdout } = spawnSync(process.execPath, [main, "plan", ...words], {
                encoding: "utf8",
                env: { ...process.env, npm_command: "" },
                input,
            });
            return [status, stdout, stderr] as const;
        };
        const urn = "urn:pulumi:dev::science::pulumi-nodejs:dynamic/flux-minicluster:IndexedJob::a-job";
        const create = JSON.stringify({
            steps: [{ op: "create", urn, newState: { inputs: { manifest: "[secret]" } } }],
        });

        it("reads standard input, and ends with 0", () => {
            assert.deepEqual(run('{"steps": []}'), [
                0,
                "No MiniCluster and no FluxJob changes.\nTogether: at most 0 node-hours; no running work ends.\n",
                "",
            ]);
        });

        it("ends with 3 if a limit is exceeded, and says which", () => {
            const [status, , stderr] = run(create, "--max-node-hours", "10");
            assert.equal(status, 3);
            assert.match(stderr, /^minicluster: --max-node-hours 10: the node-hours aren't known: /);
            assert.equal(run(create, "--no-kill")[0], 0);
        });

        it("prints JSON, with the limits that are exceeded", () => {
            const [, stdout] = run(create, "--json", "--max-node-hours", "1.5");
            const { clusters, exceeded, fluxJobs, kills, nodeHours } = JSON.parse(stdout);
            assert.deepEqual(clusters, [{ urn, name: "", namespace: "", operation: "create", nodeHours: null }]);
            assert.deepEqual([fluxJobs, kills, nodeHours, exceeded.length], [[], false, null, 1]);
        });

        it("ends with 1 if the preview has failed, and for other texts, and with 2 for a wrong option", () => {
            const failed = JSON.stringify({ steps: [], diagnostics: [{ severity: "error", message: "no" }] });
            assert.deepEqual(run(failed).slice(0, 1), [1]);
            assert.deepEqual(run("nothing").slice(0, 1), [1]);
            assert.equal(run('{"steps": []}', "--max-node-hours", "-1")[0], 2);
            assert.equal(run('{"steps": []}', "one", "two")[0], 2);
        });
    });
});
