import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { FluxJob } from "flux-minicluster";

import { root } from "../../local/paths";
import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const main = join(root, "dist", "cli", "main.js");

/* How it falls asleep, and wakes for an update and for the command line, is in test/e2e/elastic.spec.ts. */
describe("MiniCluster that sleeps, and is woken in other ways", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        cluster = new ChangingCluster(namespace, "sleeps", {
            size: 1,
            maxSize: 2,
            elastic: { cooldown: 5, sleepAfter: 10 },
            archive: { hostPath: "/tmp/flux-minicluster-archives", folder: namespace.name },
            resources: { limits: { cpu: "1" }, requests: { cpu: "10m" } },
        });
        await cluster.stack.up();
        await cluster.flux("submit", "--urgency=hold", "--job-name=held", "true");
    });

    const asleep = () =>
        until("the cluster sleeps", async () => {
            const { spec } = await cluster.job();
            const pods = await namespace.pods("sleeps");
            return spec?.suspend && pods.length === 0 ? true : undefined;
        });

    const command = (...words: string[]) =>
        promisify(execFile)(process.execPath, [main, "-c", "sleeps", ...words], {
            env: { ...process.env, KUBECONFIG: namespace.kubeconfig },
        });

    it("gets its pod at once at each wake, because Kubernetes counts no sleep as a failure", async () => {
        const delays: number[] = [];
        for (let times = 0; times < 4; times++) {
            const annotations = { "flux-minicluster/asleep": new Date().toISOString() };
            await cluster.patchJob({ metadata: { annotations }, spec: { suspend: true } });
            await asleep();
            const began = Date.now();
            await command("wake");
            const [pod] = await namespace.pods("sleeps");
            // The timestamp of the API server has no milliseconds.
            delays.push((pod?.metadata?.creationTimestamp?.getTime() ?? Infinity) - began + 1000);
        }
        assert.equal((await cluster.job()).status?.failed ?? 0, 0);
        // After four failures, Kubernetes would wait 80 s.
        assert.ok(Math.max(...delays) < 20_000, `the pods were created after ${delays.join(", ")} ms`);
    });

    it("is woken by a FluxJob", async () => {
        await asleep();
        const stack = namespace.stack("work", async () => ({
            output: new FluxJob("work", {
                cluster: { name: "sleeps", namespace: namespace.name },
                command: ["echo", "by Pulumi"],
            }).output,
        }));
        assert.equal((await stack.up()).outputs.output, "by Pulumi\n");
    });

    it("is woken by the removal of a FluxJob that may still be in its queue", async () => {
        const stack = namespace.stack("held", async () => {
            const place = { name: "sleeps", namespace: namespace.name };
            new FluxJob("removed", { cluster: place, command: ["true"], urgency: 0, wait: false });
        });
        await stack.up();
        await asleep();
        await stack.destroy();
        const names = (await cluster.flux("jobs", "-a", "--no-header", "--format={name}")).split("\n");
        assert.deepEqual([names.includes("held"), names.includes("removed")], [true, false]);
    });

    it("is woken by a job that is submitted after the last look", async () => {
        // The preStop hook runs after the suspension. The pattern doesn't match the command line of this script.
        const submit =
            "until grep -qs 'leave[.]sh' /proc/[0-9]*/cmdline; do sleep 0.05; done; flux submit --job-name=late echo late; sleep inf";
        const submitted = namespace.exec("sleeps", ["bash", "-c", submit]).catch(() => undefined);
        await until("the job has run in another pod", async () => {
            const rows = await cluster
                .flux("jobs", "-a", "--no-header", "--format={name} {result}")
                .catch(() => "unreachable");
            return rows.includes("late COMPLETED") || undefined;
        });
        await submitted;
        const { annotations } = (await cluster.job()).metadata ?? {};
        assert.equal(annotations?.["flux-minicluster/asleep"], undefined);
    });
});
