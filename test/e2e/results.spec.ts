import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "../../scripts/local/paths";
import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

const sumOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("the results of a command", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });
    /** The main folder of the program. */
    const main = process.cwd();
    let elsewhere: string;

    const nobody = {
        podSecurityContext: { runAsUser: 4242, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
            readOnlyRootFilesystem: true,
        },
        volumes: [{ name: "temporary", mountPath: "/tmp", emptyDir: {} }],
    };
    const clusterOf = (name: string, script: string, more: Partial<ChangingCluster["args"]> = {}) =>
        new ChangingCluster(namespace, name, {
            size: 2,
            workingDir: "/tmp",
            command: ["bash", "-c", script],
            ...nobody,
            ...more,
        });
    const recorded = (cluster: ChangingCluster) => cluster.child("status")?.outputs?.["results"];

    before(() => (elsewhere = mkdtempSync(join(tmpdir(), "results-"))));
    after(() => {
        for (const name of ["kept", "large", "lost", "failed", "ranks"]) {
            rmSync(join(main, "results", name), { recursive: true, force: true });
        }
        rmSync(elsewhere, { recursive: true });
    });

    async function minicluster(...words: string[]) {
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        return promisify(execFile)(process.execPath, [join(root, "dist/cli/main.js"), ...words], {
            env,
            cwd: elsewhere,
        });
    }

    it("are in a folder of this machine when the update ends, with their checksums in an output", async () => {
        const folder = join(main, "results/kept");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "older"), "");
        const script = "mkdir -p 'out/a b'; echo one >'out/a b/1'; head -c 1000000 /dev/urandom >out/big; echo done";
        const cluster = clusterOf("kept", script, { results: { paths: ["out/"] } });
        await cluster.stack.up();
        assert.deepEqual(readdirSync(folder, { recursive: true, encoding: "utf8" }).sort(), [
            "out",
            "out/a b",
            "out/a b/1",
            "out/big",
        ]);
        const { output, phase } = cluster.child("status")!.outputs!;
        assert.deepEqual([phase, output], ["succeeded", "done\ndone\n"]);
        const { files, ...others } = recorded(cluster);
        assert.deepEqual(others, { at: "results/kept", count: 2, bytes: 1_000_004, complete: true });
        for (const { bytes, path, sha256 } of files) {
            assert.deepEqual([bytes, sha256], [readFileSync(join(folder, path)).length, sumOf(join(folder, path))]);
        }
        await cluster.stack.unchanged();
        await cluster.stack.destroy();
        assert.ok(existsSync(join(folder, "out/big")));
    });

    it("of all ranks are in a folder for each", async () => {
        const cluster = clusterOf("ranks", 'echo "$FLUX_TASK_RANK" >out', {
            results: { paths: ["out"], ranks: "all" },
        });
        await cluster.stack.up();
        const text = (rank: number) => readFileSync(join(main, `results/ranks/rank-${rank}/out`), "utf8");
        assert.deepEqual([text(0), text(1)], ["0\n", "1\n"]);
        const { complete, files } = recorded(cluster);
        assert.deepEqual(
            [complete, files.map(({ path, rank }: any) => [rank, path])],
            [
                true,
                [
                    [0, "rank-0/out"],
                    [1, "rank-1/out"],
                ],
            ],
        );
    });

    it("above the limit are left to the command line, and a deletion says so until they are fetched", async () => {
        const script = "head -c 2000000 /dev/zero >zeros";
        const cluster = clusterOf("large", script, { results: { paths: ["zeros"], limit: "1Mi" } });
        const { text } = await cluster.stack.up();
        assert.match(text, /large: the results are not fetched: they are 1 file of 1\.9 MiB, above results\.limit/);
        assert.equal(cluster.child("status")?.outputs?.["phase"], "succeeded");
        const waits = /above results\.limit; npx flux-minicluster results large -n \S+ fetches them until 20\S+Z$/;
        assert.equal(recorded(cluster).complete, false);
        assert.match(recorded(cluster).reason, waits);
        const { stdout: told } = await minicluster("status", "large");
        assert.match(
            told,
            /^results: 1 file, 1\.9 MiB; npx flux-minicluster results large -n \S+ fetches them until 20\S+Z$/m,
        );
        await cluster.stack.refresh();
        assert.match(recorded(cluster).reason, waits);
        cluster.set({ size: 2, triggers: ["again"] });
        const { text: refused } = await cluster.stack.fails("up");
        assert.match(
            refused,
            /the Job's results \(1 file, 1\.9 MiB\) are not fetched\. Fetch them by npx flux-minicluster results large/,
        );
        const { stdout } = await minicluster("results", "large", "--json");
        const { bytes, count, target } = JSON.parse(stdout);
        assert.deepEqual([target, count, bytes], ["results/large", 1, 2_000_000]);
        assert.equal(readFileSync(join(elsewhere, "results/large/zeros")).length, 2_000_000);
        await until("the Job ends", async () => {
            const { stdout: list } = await minicluster("list", "--json");
            return (
                JSON.parse(list).some(({ name, phase }: any) => name === "large" && phase === "succeeded") || undefined
            );
        });
        const again = await minicluster("results", "large").catch((error: { stderr: string }) => error);
        assert.match(again.stderr, /the results have been fetched already \(1 file\)/);
        await cluster.stack.refresh();
        assert.match(recorded(cluster).reason, /^another client has fetched them/);
    });

    it("that wait are named by a destroy, and fetched by an update with a higher limit", async () => {
        const results = { paths: ["zeros"], limit: "1Mi" };
        const cluster = clusterOf("lost", "head -c 2000000 /dev/zero >zeros", { results });
        await cluster.stack.up();
        cluster.set({ size: 2, results: { ...results, limit: "2Mi" } });
        await cluster.stack.up();
        const { at, complete, count } = recorded(cluster);
        assert.deepEqual([at, complete, count], ["results/lost", true, 1]);
        assert.equal(readFileSync(join(main, "results/lost/zeros")).length, 2_000_000);
        cluster.set({ size: 2, results, triggers: ["again"] });
        await cluster.stack.up();
        assert.equal(recorded(cluster).at, "");
        const { text } = await cluster.stack.destroy();
        assert.match(text, /lost: is deleted although its results \(1 file, 1\.9 MiB\) are not fetched/);
    });

    it("of a command that fails are kept on request", async () => {
        const cluster = clusterOf("failed", "echo why >reason; exit 3", {
            results: { paths: ["reason"], onFailure: true },
        });
        await cluster.stack.fails("up");
        assert.equal(readFileSync(join(main, "results/failed/reason"), "utf8"), "why\n");
        const { exitCode, results } = cluster.child("status")!.outputs!;
        assert.deepEqual([exitCode, results.at, results.complete], [3, "results/failed", true]);
    });
});
