import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { ARCHIVES } from "./support/archives";
import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";
import { until } from "./support/until";

describe("MiniCluster with an archive", () => {
    const namespace = useNamespace();
    const jobs = (name: string, format: string) =>
        namespace.exec(name, ["flux", "jobs", "-a", "--no-header", "-o", format]);

    function stackOf(size: number): TestStack {
        return namespace.stack(`keeps-${size}`, async () => {
            const archive = { hostPath: ARCHIVES, folder: namespace.name };
            new MiniCluster("keeps", { image: namespace.image, size, archive, restful: { enabled: false } });
        });
    }

    it("keeps finished and pending jobs when it is recreated with another size", async () => {
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

describe("MiniCluster with drainTimeout", () => {
    const namespace = useNamespace();

    it("waits for the running jobs of all ranks when it is destroyed", async () => {
        const volumes = [{ name: "out", mountPath: "/out", hostPath: "/tmp" }];
        const cluster = new ChangingCluster(namespace, "drains", { size: 2, drainTimeout: 30, volumes });
        await cluster.stack.up();
        const file = `/out/${namespace.name}`;
        const work = `touch ${file}; while [ -e ${file} ]; do sleep 0.1; done; echo ended >${file}.ended`;
        await namespace.exec("drains", ["flux", "submit", "--requires=rank:1", "sh", "-c", work]);
        await until("the job runs", () =>
            namespace.exec("drains", ["test", "-e", file]).then(
                () => true,
                () => undefined,
            ),
        );
        const destroyed = cluster.stack.destroy();
        await until("the queue is stopped", async () => {
            const status = await cluster.flux("queue", "status").catch(() => "");
            return status.includes("stopped") || undefined;
        });
        await namespace.exec("drains", ["rm", file]);
        await destroyed;
        const reader = new ChangingCluster(namespace, "reads", {
            command: ["sh", "-c", `cat ${file}.ended; rm ${file}.ended`],
            volumes,
        });
        assert.equal((await reader.stack.up()).outputs.cluster.output, "ended\n");
    });
});
