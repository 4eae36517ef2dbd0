import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";
import { relay } from "./support/relay";

async function sumOf(path: string): Promise<string> {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        hash.update(chunk);
    }
    return hash.digest("hex");
}

/** Results that are small, many or large, and whose connections are cut. */
describe("the results of a command", function () {
    this.timeout(900_000);
    const namespace = useNamespace();
    const results = join(process.cwd(), "results");
    const names: string[] = [];
    let folder: string;

    before(() => (folder = mkdtempSync(join(tmpdir(), "results-"))));
    after(() => {
        names.forEach((name) => rmSync(join(results, name), { recursive: true, force: true }));
        rmSync(folder, { recursive: true });
    });

    function clusterOf(name: string, script: string, more: Partial<ChangingCluster["args"]> = {}): ChangingCluster {
        names.push(name);
        const command = ["bash", "-c", `mkdir out; ${script}`];
        return new ChangingCluster(namespace, name, {
            size: 1,
            workingDir: "/tmp",
            command,
            results: { paths: ["out"], limit: "1Gi", keepFor: 120 },
            ...more,
        });
    }
    const recorded = (cluster: ChangingCluster) => cluster.child("status")?.outputs?.["results"];

    for (const [what, script, count, bytes] of [
        ["one", "printf x >out/one", 1, 1],
        ["many", "for i in {1..1000}; do echo $i >out/$i; done", 1000, 3893],
        ["large", "head -c 500000000 /dev/urandom >out/large", 1, 500_000_000],
    ] as const) {
        it(`arrive whole: ${count} of ${bytes} bytes`, async () => {
            const cluster = clusterOf(what, script);
            const started = performance.now();
            await cluster.stack.up();
            console.log(`      ${what}: up in ${((performance.now() - started) / 1000).toFixed(1)} s`);
            const found = recorded(cluster);
            assert.deepEqual([found.count, found.bytes, found.complete], [count, bytes, true]);
            for (const { path, sha256 } of found.files) {
                assert.equal(await sumOf(join(results, what, path)), sha256);
            }
            assert.equal(found.files.length, count);
        });
    }

    it("are left to the user if each connection is cut, and nothing of them is at their place", async () => {
        const kubeconfig = join(folder, "kubeconfig");
        const end = await relay(namespace.kubeconfig, kubeconfig, { bytes: 20e6, how: "cut" });
        try {
            const cluster = clusterOf("cut", "head -c 50000000 /dev/urandom >out/large", { kubeconfig });
            const { text } = await cluster.stack.up();
            assert.match(
                text,
                /the results are not fetched: .*; npx flux-minicluster results cut -n \S+ fetches them until/,
            );
            assert.deepEqual([recorded(cluster).at, recorded(cluster).complete], ["", false]);
            assert.ok(!existsSync(join(results, "cut")));
            assert.deepEqual(
                readdirSync(results).filter((name) => name.startsWith(".cut")),
                [],
            );
        } finally {
            end();
        }
    });
});
