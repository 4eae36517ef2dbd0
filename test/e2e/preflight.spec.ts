import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "./support/namespace";
import type { Failure } from "./support/stack";

/** Fails on rank 1. */
const preflight = [
    { name: "clock", script: "date" },
    { name: "gpu", script: 'echo "looking"; [[ $JOB_COMPLETION_INDEX != 1 ]] || { echo "no device 3"; exit 1; }' },
];
const SENTENCE = "preflight check gpu failed on rank 1: no device 3";

describe("preflight", () => {
    const namespace = useNamespace();
    let up: Failure;

    before(async () => {
        const stack = namespace.stack("checked", async () => {
            const common = { image: namespace.image, preflight, restful: { enabled: false } };
            new MiniCluster("out", { ...common, size: 3, minSize: 2 });
            new MiniCluster("few", { ...common, size: 2, minSize: 2, maxSize: 3 });
        });
        up = await stack.fails("up");
    });

    it("fails a cluster that needs the rank, with the check and its last line, long before the wait times out", () => {
        assert.match(up.text, new RegExp(`few-1-\\w+ stays out of the cluster, which needs it: ${SENTENCE}\\.`));
    });

    it("starts a cluster that doesn't need the rank", async () => {
        assert.match(up.text, new RegExp(`out: ready 2/3; out-1-\\w+ stays out: ${SENTENCE}`));
        const list = await namespace.exec("out", ["flux", "resource", "list", "-no", "{state} {nnodes}"]);
        assert.match(list, /^free 2$/m);
    });

    it("tells in minicluster status and in the log which check has failed", async () => {
        const main = join(root, "dist", "cli", "main.js");
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const words = [main, "-c", "out", "-n", namespace.name, "status"];
        const text = execFileSync(process.execPath, words, { env, encoding: "utf8" });
        assert.match(text, /^1 {5}stays out /m);
        assert.match(text, /^preflight: gpu failed on rank 1 \(node \S+\): no device 3$/m);
        assert.match(text, /^2 {5}ready /m);
        assert.match(await namespace.describe(), new RegExp(`${SENTENCE}; this rank stays out of the cluster`));
    });
});
