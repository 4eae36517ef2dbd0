import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";
import { until } from "./support/until";

const main = join(root, "dist", "cli", "main.js");

describe("minicluster plan", () => {
    const namespace = useNamespace();
    let stack: TestStack;
    let jobId: string;

    before(async () => {
        const config = { image: namespace.image, size: "2", maxSize: "4" };
        stack = namespace.stack("planned", { dir: join(root, "examples/persistent") }, config);
        await stack.up();
        await namespace.untilCounted("flux", 2);
        jobId = await start("-N2", "-x", "--job-name=train");
        await flux("submit", "-N2", "-x", "--job-name=later", "true");
    });

    const flux = (...words: readonly string[]) => namespace.exec("flux", ["flux", ...words]);

    async function start(...options: readonly string[]): Promise<string> {
        const id = (await flux("submit", ...options, "sleep", "inf")).trim();
        await flux("job", "wait-event", "--quiet", id, "start");
        return id.replace("ƒ", "f");
    }

    const set = async (name: string, value: string) => (await stack.open()).setConfig(name, { value });

    async function plan(verb: "destroy" | "preview", ...options: readonly string[]) {
        const input = await stack.digest(verb);
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        // As a preview does, a plan waits five seconds for the lead, which may be busy.
        return until("the lead answers a plan", async () => {
            const words = [main, "plan", ...options];
            const { status, stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8", env, input });
            return /^ {2}not known: .* within \d+ s/m.test(stdout) ? undefined : { code: status, stderr, stdout };
        });
    }

    it("names what a destroy ends, and refuses it with --no-kill", async () => {
        const { code, stderr, stdout } = await plan("destroy", "--no-kill");
        assert.equal(code, 3, stdout + stderr);
        assert.match(stdout, new RegExp(`^MiniCluster ${namespace.name}/flux: delete\n {2}deletes the Job\n`));
        assert.match(stdout, new RegExp(`\n {2}ends: job train \\(${jobId}, ranks 0-1, for \\d+ s\\)`));
        assert.match(stdout, /\n {2}loses: job later \(f\w+\), which waits\n/);
        assert.equal(stderr, `minicluster: --no-kill: running work may end, of MiniCluster ${namespace.name}/flux\n`);
    });

    it("has no node-hours of ranks that a cluster without a time limit gets", async () => {
        await set("size", "3");
        const { code, stderr, stdout } = await plan("preview", "--json", "--no-kill", "--max-node-hours", "100");
        assert.equal(code, 3, stdout + stderr);
        const { clusters, kills, nodeHours } = JSON.parse(stdout);
        assert.deepEqual(
            [clusters[0].operation, clusters[0].ends, kills, nodeHours],
            ["update", undefined, false, null],
        );
        assert.match(stderr, /^minicluster: --max-node-hours 100: the node-hours aren't known: /);
        await set("size", "2");
    });

    it("repeats why Pulumi refuses an update that would end jobs", async () => {
        await set("maxSize", "3");
        const { code, stdout, stderr } = await plan("preview");
        assert.equal(code, 1, stdout + stderr);
        assert.match(stdout, /Pulumi refuses the change: [^]*the Job's Flux job runs: train/);
        await set("maxSize", "4");
    });

    it("finds nothing that ends without jobs", async () => {
        await flux("cancel", "--all");
        await flux("queue", "drain");
        const { code, stdout } = await plan("destroy", "--no-kill");
        assert.deepEqual(
            [code, stdout.split("\n").slice(0, 2)],
            [
                0,
                [`MiniCluster ${namespace.name}/flux: delete`, "Together: at most 0 node-hours; no running work ends."],
            ],
        );
    });
});
