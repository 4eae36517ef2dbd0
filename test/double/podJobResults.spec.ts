import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findingFlux, jobResultsDir } from "../../provider/contract/paths";
import type { WantedJobResults } from "../../provider/contract/results";
import { commandOf, keepCall } from "../../provider/results/jobResults";
import { toldIn } from "../../provider/results/list";
import { provideImage, withPods, type PodCluster } from "./support/pods/cluster";
import type { Pod } from "./support/pods/pod";

describe("the results of a FluxJob in pods", function () {
    this.timeout(180_000);
    let folder: string;
    before(provideImage);
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "results-"));
        chmodSync(folder, 0o777);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const nonce = "m0123456789abcdef";
    const wantedOf = (more: Partial<WantedJobResults>): WantedJobResults => ({
        paths: ["out/"],
        limit: 1e6,
        onFailure: false,
        ofAllRanks: false,
        inFolder: false,
        ...more,
    });
    const call = async (pod: Pod, words: readonly string[]) => pod.exec(...findingFlux(words)).ended;

    /** Runs a job to its end; returns its id. */
    async function run(cluster: PodCluster, options: readonly string[], script: string): Promise<string> {
        const id = await cluster.flux("submit", "--wait", "--cwd=/tmp", ...options, "bash", "-c", script);
        return cluster.flux("jobs", "--no-header", "--format={id.f58plain}", id);
    }

    async function keep(cluster: PodCluster, jobId: string, more: Partial<WantedJobResults>, place = "") {
        const done = await call(cluster.pods[0], keepCall({ jobId, nonce, exitCode: 0 }, wantedOf(more), place));
        return { ...done, told: toldIn(done.stderr) };
    }

    const args = () => ({ size: 2, volumes: [{ name: "data", mountPath: "/data", hostPath: folder }] });

    it("are those that the job has changed, of its first rank or of all", async () => {
        await withPods(args(), async (cluster) => {
            await cluster.up(2);
            const [lead, follower] = cluster.pods;
            await run(cluster, ["-N2"], "mkdir out; echo old >out/old; echo first >out/both");
            const script = 'cd out; echo $FLUX_TASK_RANK >both; mv old moved; touch -d 2001-01-01 moved "a b"';
            const jobId = await run(cluster, ["-N1", "--requires=rank:1"], script);

            const { told: alone } = await keep(cluster, jobId, {});
            assert.deepEqual(
                [alone?.state, alone?.files.map(({ path, rank }) => `${rank} ${path}`), alone?.reasons],
                ["waits", ["1 out/a b", "1 out/both", "1 out/moved"], []],
            );
            const offer = `${jobResultsDir({ nonce, jobId })}/results/offer`;
            const { stdout: list } = await call(lead, ["sha256sum", `${offer}/list`]);
            assert.equal(list.slice(0, 64), alone?.sha256);
            assert.equal((await call(follower, ["cat", `${offer}/files/out/both`])).stdout, "0\n");

            const both = await run(cluster, ["-N2"], 'echo $FLUX_TASK_RANK >"out/of $FLUX_TASK_RANK"');
            const { told: all } = await keep(cluster, both, { ofAllRanks: true, paths: ["out/", "none"] });
            assert.deepEqual(all?.files.map(({ path, rank }) => `${rank} ${path}`).sort(), [
                "0 rank-0/out/of 0",
                "1 rank-1/out/of 1",
            ]);
            assert.deepEqual(all?.reasons.toSorted(), [
                "nothing matches none",
                "rank 0: files that match are older than the job: 2",
                "rank 1: files that match are older than the job: 3",
            ]);
        });
    });

    it("go into a volume, where they replace an older folder", async () => {
        await withPods(args(), async (cluster) => {
            await cluster.up(2);
            for (const text of ["first", "second"]) {
                const jobId = await run(
                    cluster,
                    ["-N1", "--requires=rank:1"],
                    `rm -rf out; mkdir out; echo ${text} >out/${text}`,
                );
                const { told } = await keep(cluster, jobId, {}, "/data/runs/last");
                assert.deepEqual([told?.state, told?.count], ["kept", 1]);
                assert.equal(readFileSync(join(folder, "runs/last/out", text), "utf8"), `${text}\n`);
            }
            assert.deepEqual(readdirSync(join(folder, "runs/last/out")), ["second"]);
            const jobId = await run(cluster, ["-N2"], "mkdir -p out; echo $FLUX_TASK_RANK >out/rank");
            assert.equal((await keep(cluster, jobId, { ofAllRanks: true }, "/data/all")).told?.state, "kept");
            const found = readdirSync(join(folder, "all"), { recursive: true, encoding: "utf8" }).sort();
            assert.deepEqual(found, [
                "rank-0",
                "rank-0/out",
                "rank-0/out/rank",
                "rank-1",
                "rank-1/out",
                "rank-1/out/rank",
            ]);
        });
    });

    it("are lost with a reason if the job's folder is gone, and unknown if Flux has forgotten the job", async () => {
        await withPods({ size: 1 }, async (cluster) => {
            await cluster.up(1);
            const jobId = await run(cluster, ["-n1"], "true");
            const { told } = await keep(cluster, jobId, { inFolder: true });
            const results = jobResultsDir({ nonce, jobId });
            assert.deepEqual(
                [told?.state, told?.reasons],
                ["lost", [`its pod has no folder ${results}/work any more`]],
            );
            const [lead] = cluster.pods;
            const { stdout } = await call(lead, commandOf("describe", jobId, jobResultsDir({ nonce: "*", jobId: "" })));
            const [id, noted, jobspec] = stdout.split("\n");
            assert.equal(id, jobId);
            assert.equal(JSON.parse(Buffer.from(noted, "base64").toString()).inFolder, true);
            assert.equal(JSON.parse(jobspec).attributes.system.cwd, "/tmp");
            await call(lead, commandOf("drop", results));
            const isThere = async () => (await call(lead, ["test", "-e", results])).code === 0;
            for (let left = true; left; ) {
                left = await isThere();
            }
            await cluster.flux("job", "purge", "--force", jobId);
            assert.equal((await keep(cluster, jobId, {})).code, 64);
        });
    });
});
