import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "./support/changing";
import { doTo } from "./support/deeds";
import { isReady } from "./support/kube";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";
import { until } from "./support/until";

describe("a cluster with an archive", () => {
    const namespace = useNamespace();
    const jobs = (name: string, format: string) => namespace.exec(name, ["flux", "jobs", "-a", "--no-header", "-o", format]);

    function stackOf(size: number): TestStack {
        return namespace.stack(`keeps-${size}`, async () => {
            const archive = { hostPath: "/tmp/flux-minicluster-archives", folder: namespace.name };
            new MiniCluster("keeps", { image: namespace.image, size, archive, restful: { enabled: false } });
        });
    }

    it("finds its finished jobs and goes on with the pending ones when it is made again with another size", async () => {
        const first = stackOf(2);
        await first.up();
        await namespace.exec("keeps", ["flux", "run", "--job-name=finished", "true"]);
        await namespace.exec("keeps", ["flux", "submit", "--urgency=hold", "--job-name=held", "hostname"]);
        await first.destroy();
        await namespace.assertNothingLeft();
        const second = stackOf(3);
        await second.up();
        const list = await jobs("keeps", "{name} {state} {result}");
        assert.match(list, /^finished INACTIVE COMPLETED$/m);
        assert.match(list, /^held SCHED ?$/m);
        const id = (await jobs("keeps", "{name} {id.dec}")).match(/^held (\d+)$/m)?.[1] ?? "";
        await namespace.exec("keeps", ["flux", "job", "urgency", id, "default"]);
        assert.match(await namespace.exec("keeps", ["flux", "job", "attach", id]), /^keeps-\d$/m);
        assert.match(await namespace.exec("keeps", ["flux", "run", "-N3", "echo", "three"]), /(three\s+){3}/);
    });
});

describe("an archive of a cluster that runs", () => {
    const namespace = useNamespace();
    const folder = "/tmp/flux-minicluster-archives";

    it("has the queue soon, and gives it to the pod that comes after rank 0's node is lost", async () => {
        const archive = { hostPath: folder, folder: namespace.name, period: 1 };
        const cluster = new ChangingCluster(namespace, "lasts", { archive });
        await cluster.stack.up();
        // An orderly end would wait for it longer than a lost pod is given.
        const stubborn = "trap '' TERM; while :; do sleep 1; done";
        const running = await cluster.flux("submit", "--job-name=lost", "sh", "-c", stubborn);
        await cluster.flux("job", "wait-event", "-q", running, "start");
        await cluster.flux("submit", "--urgency=hold", "--job-name=held", "hostname");
        const content = `tar -xzOf /var/lib/flux-archive/${namespace.name}/content.tgz`;
        await until("the archive has the job", async () => {
            const found = await namespace.exec("lasts", ["sh", "-c", `${content} | grep -acq '"held"' && echo yes || true`]);
            return found.trim() === "yes" || undefined;
        });
        const [lost] = await namespace.pods("lasts");
        await doTo(namespace, "lasts", 0, "the loss of its node");
        await until("another rank 0 is ready", async () => {
            return isReady((await namespace.pods("lasts")).find(({ metadata }) => metadata?.uid !== lost.metadata?.uid)) || undefined;
        }, 60);
        const jobs = () => cluster.flux("jobs", "-ano", "{id.dec} {name} {state} {result}");
        await until("what ran has failed", async () => /^\d+ lost INACTIVE FAILED$/m.test(await jobs()) || undefined);
        const [, held = ""] = /^(\d+) held SCHED ?$/m.exec(await jobs()) ?? [];
        await cluster.flux("job", "urgency", held, "default");
        assert.match(await cluster.flux("job", "attach", held), /^lasts-0$/m);
    });
});

describe("a cluster that lets running jobs end", () => {
    const namespace = useNamespace();

    it("waits for them when it is destroyed, on all its ranks", async () => {
        const volumes = [{ name: "out", mountPath: "/out", hostPath: "/tmp" }];
        const cluster = new ChangingCluster(namespace, "drains", { size: 2, drainTimeout: 30, volumes });
        await cluster.stack.up();
        const file = `/out/${namespace.name}`;
        const work = `touch ${file}; while [ -e ${file} ]; do sleep 0.1; done; echo ended >${file}.ended`;
        await namespace.exec("drains", ["flux", "submit", "--requires=rank:1", "sh", "-c", work]);
        await until("the job runs", () => namespace.exec("drains", ["test", "-e", file]).then(() => true, () => undefined));
        const destroyed = cluster.stack.destroy();
        await until("the queue stands still", async () => {
            const status = await cluster.flux("queue", "status").catch(() => "");
            return status.includes("stopped") || undefined;
        });
        await namespace.exec("drains", ["rm", file]);
        await destroyed;
        const reader = new ChangingCluster(namespace, "reads", { command: ["sh", "-c", `cat ${file}.ended; rm ${file}.ended`], volumes });
        assert.equal((await reader.stack.up()).outputs.cluster.output, "ended\n");
    });
});
