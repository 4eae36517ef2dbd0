import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";
import { peakMegabytesDuring } from "./support/memory";
import { type Fate, relay } from "./support/relay";

const main = join(root, "dist", "cli", "main.js");
const FILES = 10_000;
/** Megabytes of the command line with the Kubernetes client are about 120, and those of a copy don't grow with it. */
const MOST_MEGABYTES = 300;

/** Copies that are large, that have many files, and whose connection or pod is lost. */
describe("minicluster cp", function () {
    this.timeout(900_000);
    const namespace = useNamespace();
    let folder: string;

    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "copies-"));
        const restful = { enabled: false };
        const stack = namespace.stack("copies", async () => ({
            cluster: new MiniCluster("copies", { image: namespace.image, size: 2, restful }).name,
        }));
        await stack.up();
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    async function copy(from: string, to: string, kubeconfig = namespace.kubeconfig) {
        const env = { ...process.env, KUBECONFIG: kubeconfig };
        const started = performance.now();
        const words = [main, "-c", "copies", "cp", from, to, "--json"];
        const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
        const ended = once(child, "close");
        const [stdout, stderr, [megabytes], [code]] = await Promise.all([
            child.stdout.toArray(),
            child.stderr.toArray(),
            peakMegabytesDuring(ended, [child.pid ?? 0]),
            ended,
        ]);
        const seconds = (performance.now() - started) / 1000;
        return {
            code,
            stdout: Buffer.concat(stdout).toString(),
            stderr: Buffer.concat(stderr).toString(),
            megabytes,
            seconds,
        };
    }

    const inPod = (script: string) => namespace.exec("copies", ["sh", "-c", script]);
    const report = (what: string, { megabytes, seconds }: { megabytes: number; seconds: number }) =>
        console.log(`      ${what}: ${seconds.toFixed(1)} s, ${megabytes} MB of memory`);

    it("copies 1 GB in both directions, in a memory that doesn't grow", async () => {
        execFileSync("sh", ["-c", 'head -c 1000000000 /dev/urandom >"$1"', "sh", join(folder, "big")]);
        const sent = await copy("big", ":/tmp");
        report("1 GB into a pod", sent);
        assert.equal(sent.code, 0, sent.stderr);
        const got = await copy(":/tmp/big", "again");
        report("1 GB out of a pod", got);
        assert.equal(got.code, 0, got.stderr);
        execFileSync("cmp", [join(folder, "big"), join(folder, "again")]);
        assert.ok(
            Math.max(sent.megabytes, got.megabytes) < MOST_MEGABYTES,
            `${sent.megabytes} and ${got.megabytes} MB`,
        );
        rmSync(join(folder, "again"));
    });

    it("copies 10,000 small files in both directions, also into a folder that has them", async () => {
        const tree = join(folder, "tree");
        for (let index = 0; index < FILES; index++) {
            mkdirSync(join(tree, String(index % 100)), { recursive: true });
            writeFileSync(join(tree, String(index % 100), `file ${index}`), String(index));
        }
        for (const [what, from, to] of [
            ["into a pod", "tree", ":/tmp"],
            ["into a pod that has them", "tree", ":/tmp"],
            ["out of a pod", ":/tmp/tree", "tree2"],
            ["out of a pod, of which this machine has them", ":/tmp/tree/.", "tree2"],
        ]) {
            const done = await copy(from, to);
            report(`${FILES} files ${what}`, done);
            assert.equal(done.code, 0, done.stderr);
            assert.equal(JSON.parse(done.stdout).files, FILES);
        }
        execFileSync("diff", ["-r", tree, join(folder, "tree2")]);
    });

    const fates: [string, Fate, RegExp][] = [
        ["is cut", { bytes: 30e6, how: "cut" }, /^minicluster: the connection to \S+ broke$/m],
        ["goes silent", { bytes: 30e6, how: "silence" }, /^minicluster: the connection to \S+ broke$/m],
    ];
    for (const [what, fate, message] of fates) {
        for (const [way, from, to] of [
            ["out of a pod", ":/tmp/big", "./"],
            ["into a pod", "big", ":/tmp/up/"],
        ]) {
            it(`leaves nothing of a copy ${way} whose connection ${what}`, async () => {
                await inPod("mkdir -p /tmp/up; [ -e /tmp/big ] || head -c 1000000000 /dev/urandom >/tmp/big");
                mkdirSync(join(folder, "empty"), { recursive: true });
                const config = join(folder, "kubeconfig");
                const end = await relay(namespace.kubeconfig, config, fate);
                try {
                    const target = to === "./" ? "empty/" : to;
                    const { code, stderr, stdout } = await copy(from, target, config);
                    assert.deepEqual([code, stdout], [1, ""]);
                    assert.match(stderr, message);
                } finally {
                    end();
                }
                assert.deepEqual(readdirSync(join(folder, "empty")), []);
                assert.doesNotMatch(await inPod("ls /tmp/up"), /big/);
                await until("the pod has removed its part", async () =>
                    (await inPod("ls -A /tmp/up")).includes(".minicluster-cp") ? undefined : true,
                );
            });
        }
    }

    it("says that the pod has ended, if it ends during a copy", async () => {
        const running = copy("big", ":/tmp/other");
        await until("the copy runs", async () => (await inPod("ls -A /tmp")).includes(".minicluster-cp") || undefined);
        const [lead] = await namespace.pods("copies");
        await namespace.kube.core.deleteNamespacedPod({
            name: lead.metadata?.name ?? "",
            namespace: namespace.name,
            gracePeriodSeconds: 0,
        });
        const { code, stderr } = await running;
        assert.equal(code, 1);
        assert.match(stderr, /^minicluster: (pod \S+: the command in the pod was killed|the connection to \S+ broke)/m);
    });
});
