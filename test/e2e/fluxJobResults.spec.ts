import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { FluxJob, type FluxJobArgs, MiniCluster, ResultRanks } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "./support/namespace";

const sumOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("the results of a FluxJob", () => {
    const namespace = useNamespace();
    /** The main folder of the program. */
    const main = join(process.cwd(), "results");
    const names: string[] = [];
    let cluster: any;
    let elsewhere: string;

    before(async () => {
        elsewhere = mkdtempSync(join(tmpdir(), "results-"));
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("queue", {
                image: namespace.image,
                size: 2,
                workingDir: "/tmp",
                restful: { enabled: false },
                volumes: [{ name: "data", mountPath: "/data", emptyDir: {} }],
            }),
        }));
        cluster = (await stack.up()).outputs.cluster;
    });
    after(() => {
        names.forEach((name) => rmSync(join(main, name), { recursive: true, force: true }));
        rmSync(elsewhere, { recursive: true });
    });

    /** A stack with one job, whose arguments may change. */
    function jobOf(name: string, first: Omit<FluxJobArgs, "cluster">) {
        names.push(name);
        let args = first;
        const stack = namespace.stack(name, async () => ({ job: new FluxJob(name, { cluster, ...args }) }));
        const up = async (changed = args) => {
            args = changed;
            return (await stack.up()).outputs.job;
        };
        return { stack, up };
    }

    const filesIn = (name: string) =>
        readdirSync(join(main, name), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => join(entry.parentPath, entry.name).slice(main.length + name.length + 2))
            .sort();

    async function minicluster(...words: string[]) {
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const program = join(root, "dist/cli/main.js");
        return promisify(execFile)(process.execPath, [program, ...words], { env, cwd: elsewhere });
    }

    it("with code are in a folder of this machine, and those of an edited job replace them", async () => {
        const source = mkdtempSync(join(elsewhere, "code-"));
        const write = (text: string) => writeFileSync(join(source, "run.sh"), `mkdir out; ${text}\n`);
        write('echo one >"out/a b"; head -c 1000000 /dev/urandom >out/big');
        const args = { code: { source }, command: ["bash", "run.sh"], results: { paths: ["out/"] } };
        const { stack, up } = jobOf("coded", args);
        const { results } = await up();
        assert.deepEqual(
            [results.at, results.count, results.bytes, results.complete],
            ["results/coded", 2, 1_000_004, true],
        );
        assert.deepEqual(filesIn("coded"), ["out/a b", "out/big"]);
        for (const { path, sha256 } of results.files) {
            assert.equal(sha256, sumOf(join(main, "coded", path)));
        }
        await stack.unchanged();
        write("echo two >out/c");
        assert.equal((await up()).results.count, 1);
        assert.deepEqual(filesIn("coded"), ["out/c"]);
        await stack.destroy();
        assert.deepEqual(filesIn("coded"), ["out/c"]);
    });

    it("of all its ranks are in a folder for each, and other patterns need no other job", async () => {
        const args = { nodes: 2, command: ["bash", "-c", "echo $FLUX_TASK_RANK >ranked; echo more >more-ranked"] };
        const { up } = jobOf("ranked", args);
        const { jobId, results: none } = await up();
        assert.equal(none, undefined);
        const first = await up({ ...args, results: { paths: ["ranked"], ranks: ResultRanks.All } });
        assert.deepEqual([first.jobId, first.results.complete], [jobId, true]);
        const text = (rank: number) => readFileSync(join(main, `ranked/rank-${rank}/ranked`), "utf8");
        assert.deepEqual([text(0), text(1)], ["0\n", "1\n"]);
        const second = await up({ ...args, results: { paths: ["more-*"] } });
        assert.equal(second.jobId, jobId);
        assert.deepEqual(filesIn("ranked"), ["more-ranked"]);
    });

    it("above the limit are left to the command line", async () => {
        const { up } = jobOf("large", {
            command: ["bash", "-c", "head -c 2000000 /dev/zero >zeros"],
            results: { paths: ["zeros"], limit: "1Mi" },
        });
        const { jobId, phase, results } = await up();
        assert.equal(phase, "succeeded");
        assert.match(
            results.reason,
            /^they are 1 file of 1\.9 MiB, above results\.limit; npx flux-minicluster results queue f/,
        );
        const { stdout } = await minicluster("-n", namespace.name, "results", "queue", jobId, "--json");
        const { bytes, count, target } = JSON.parse(stdout);
        assert.deepEqual([target, count, bytes], ["results/large", 1, 2_000_000]);
        assert.equal(readFileSync(join(elsewhere, "results/large/zeros")).length, 2_000_000);
    });

    it("go into a volume of the rank on which the job has run", async () => {
        const { up } = jobOf("placed", {
            command: ["bash", "-c", "echo here >placed"],
            requires: "rank:0",
            results: { paths: ["placed"], volume: "data", path: "runs/last" },
        });
        assert.equal((await up()).results.at, "data:runs/last");
        assert.equal(await namespace.exec("queue", ["cat", "/data/runs/last/placed"]), "here\n");
    });

    it("of a job that fails are kept on request", async () => {
        const { stack } = jobOf("failed", {
            command: ["bash", "-c", "echo why >reason; exit 3"],
            results: { paths: ["reason"], onFailure: true },
            rerunFailed: false,
        });
        await stack.fails("up");
        assert.equal(readFileSync(join(main, "failed/reason"), "utf8"), "why\n");
    });
});
