import assert from "node:assert/strict";

import type { V1ContainerStatus } from "@kubernetes/client-node";

import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

/* The rows of test/faults/README.md, "Sidecars and the elastic program". */

const MEMORY = { limits: { memory: "32Mi" } };
/** Takes more memory than each container here has. */
const EAT = ["python3", "-c", "x = bytearray(1 << 29); print(len(x))"];

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");

describe("persistent cluster whose other containers end", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let lead = "";

    before(async () => {
        const { image } = namespace;
        cluster = new ChangingCluster(namespace, "beside", {
            size: 1,
            maxSize: 2,
            elastic: { cooldown: 600 },
            resources: { limits: { cpu: "1" }, requests: { cpu: "10m" } },
            sidecars: [
                { name: "succeeds", image, command: ["sh", "-c", "sleep 1; exit 0"] },
                { name: "fails", image, command: ["sh", "-c", "sleep 1; exit 3"] },
                { name: "eats", image, resources: MEMORY, command: ["sh", "-c", `sleep 1; exec ${quoted(EAT)}`] },
            ],
        });
        await cluster.stack.up();
        lead = (await leadPod()).metadata?.name ?? "";
    });

    const leadPod = async () => (await namespace.pods("beside"))[0] ?? {};

    async function status(container: string): Promise<V1ContainerStatus | undefined> {
        return (await leadPod()).status?.initContainerStatuses?.find(({ name }) => name === container);
    }

    /** Waits until a container has been restarted once more, and returns its last end. */
    function restarted(container: string, before = 0) {
        return until(`${container} is restarted`, async () => {
            const { lastState, restartCount = 0 } = (await status(container)) ?? {};
            return restartCount > before ? lastState?.terminated : undefined;
        });
    }

    async function assertLives(): Promise<void> {
        assert.equal(await cluster.flux("run", "echo", "lives"), "lives");
        assert.equal((await leadPod()).metadata?.name, lead);
        const { status: job } = await cluster.job();
        assert.deepEqual([job?.failed ?? 0, job?.succeeded ?? 0], [0, 0]);
    }

    it("lives on with sidecars that end with 0, with 3 and out of memory", async () => {
        assert.equal((await restarted("succeeds"))?.exitCode, 0);
        assert.equal((await restarted("fails"))?.exitCode, 3);
        assert.equal((await restarted("eats"))?.exitCode, 137);
        await assertLives();
    });

    for (const [how, words] of [["SIGTERM", ["sh", "-c", "kill -TERM 1"]]] as const) {
        it(`restarts the elastic program that ends by ${how}, which sizes the cluster again`, async () => {
            const before = (await status("flux-elastic"))?.restartCount ?? 0;
            await namespace.kube.exec(namespace.name, lead, words, "flux-elastic").catch(() => undefined);
            await restarted("flux-elastic", before);
            await assertLives();
            const note = async () => (await cluster.job()).metadata?.annotations?.["flux-minicluster/elastic"];
            const former = await note();
            await cluster.flux("submit", "--urgency=hold", "true");
            await until("the elastic program tells of the held job", async () =>
                (await note()) !== former ? true : undefined,
            );
        });
    }
});
