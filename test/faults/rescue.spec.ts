import assert from "node:assert/strict";

import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";
import { doTo } from "../e2e/support/podActions";
import { until } from "../e2e/support/until";

/** A job that takes all CPU of its pod until its file is removed. */
const work = (file: string) => `for i in {1..16}; do while :; do :; done & done
trap 'kill -s KILL $(jobs -p); exit 143' TERM
touch ${file}; while [ -e ${file} ]; do sleep 0.1; done; kill -s KILL $(jobs -p); exit 0`;

describe("follower whose job has 16 busy processes at 500m", function () {
    this.timeout(600_000);
    const namespace = useNamespace();

    /** A cluster whose follower runs the job, and is evicted. */
    async function evict(name: string, drainTimeout: number) {
        const [file, left] = ["runs", "left"].map((what) => `/out/${namespace.name}-${name}.${what}`);
        const preStop = { exec: { command: ["sh", "-c", `echo rank $JOB_COMPLETION_INDEX >${left}`] } };
        const cluster = new ChangingCluster(namespace, name, {
            size: 2,
            drainTimeout,
            resources: { limits: { cpu: "500m" } },
            volumes: [{ name: "out", mountPath: "/out", hostPath: "/tmp" }],
            podTemplate: { spec: { containers: [{ name: "flux", lifecycle: { preStop } }] } },
        });
        await cluster.stack.up();
        const job = await cluster.flux("submit", "--requires=rank:1", "-n1", "bash", "-c", work(file));
        const has = (path: string) =>
            namespace.exec(name, ["test", "-e", path]).then(
                () => true,
                () => undefined,
            );
        await until("the job runs", () => has(file));
        await doTo(namespace, name, 1, "pod is evicted");
        const record = async (): Promise<string> => {
            await until("the user's hook has run", () => has(left));
            const status = await cluster.flux("jobs", "--no-header", "--format={status} {exception.note}", job);
            return `${status.trim()}, ${await namespace.exec(name, ["sh", "-c", `cat ${left}; rm -f ${left} ${file}`])}`;
        };
        return { cluster, end: () => namespace.exec(name, ["rm", file]), record };
    }

    it("drains its rank when it is evicted, and lets the job end within drainTimeout", async () => {
        const { cluster, end, record } = await evict("ends", 120);
        await until("the rank is drained", async () => {
            const drained = await cluster.flux("resource", "drain", "-no", "{ranks} {reason}");
            return drained === "1 the pod is leaving" || undefined;
        });
        await end();
        assert.equal(await record(), "COMPLETED, rank 1\n");
        await cluster.stack.destroy();
    });

    it("cancels a job that goes on when it is evicted", async () => {
        const { cluster, record } = await evict("goes-on", 5);
        assert.equal(await record(), "CANCELED the pod is leaving, rank 1\n");
        await cluster.stack.destroy();
    });
});
