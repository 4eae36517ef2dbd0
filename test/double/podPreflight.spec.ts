import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { PlainArgs } from "../../components/args";
import { provideImage, withPods } from "./support/pods/cluster";
import type { Pod } from "./support/pods/pod";
import { soon, until } from "../e2e/support/until";

type Check = NonNullable<PlainArgs["preflight"]>[number];

/** Fails on rank 1 only. */
const GPU: Check = {
    name: "gpu",
    script: 'echo "rank $JOB_COMPLETION_INDEX looks"; [[ $JOB_COMPLETION_INDEX != 1 ]] || { echo "no device 3"; exit 1; }\n',
};
const FAILED = "preflight check gpu failed on rank 1: no device 3";

/** Waits until the log of a pod has a text. */
async function logs(pod: Pod, text: string): Promise<void> {
    await soon(`its log has: ${text}`, () => {
        assert.ok(pod.container.alive, `its log never had: ${text}`);
        return pod.container.output.includes(text);
    });
}

describe("a cluster with preflight", function () {
    this.timeout(180_000);
    before(provideImage);

    it("starts if all checks pass on all ranks, with the variables of the init hook", async () => {
        const script =
            '[[ $SEEN == yes && -x $(command -v flux) ]] || exit 1; echo "rank $JOB_COMPLETION_INDEX is fine"\n';
        const args = { size: 2, preflight: [{ name: "hook", script }], hooks: { init: "export SEEN=yes\n" } };
        await withPods(args, async (cluster) => {
            await cluster.up(2);
            assert.match(cluster.rank(1).container.output, /^rank 1 is fine$/m);
            assert.equal(await cluster.flux("getattr", "size"), "2");
        });
    });

    for (const rank of [0, 1]) {
        it(`ends the pod of rank ${rank} with the sentence if that rank has to join`, async () => {
            const script = 'echo "no scratch on $JOB_COMPLETION_INDEX"; exit 3\n';
            await withPods({ size: 2, preflight: [{ name: "scratch", script }] }, async (cluster) => {
                const [pod] = await cluster.start(rank);
                const { code, message } = await pod.ended();
                assert.equal(code, 78);
                const sentence = `preflight check scratch failed on rank ${rank}: no scratch on ${rank}`;
                assert.equal(message, `minicluster.error=${sentence}\n`);
            });
        });
    }

    it("starts without a follower that it doesn't need, and whose pod stays and tells why", async () => {
        await withPods({ size: 3, minSize: 2, preflight: [GPU] }, async (cluster) => {
            await cluster.up(3);
            const pod = cluster.rank(1);
            await logs(pod, `minicluster: ${FAILED}; this rank stays out of the cluster\n`);
            const up = async () =>
                (await cluster.flux("resource", "list", "--states=up", "--no-header", "--format={nnodes}")).trim();
            await until("two ranks have joined", async () => (await up()) === "2" || undefined);
            const probe = pod.plan.podSpec.containers[0].readinessProbe.exec.command;
            const first = await pod.exec(...probe).ended;
            assert.deepEqual([first.code, first.stdout], [1, `${FAILED}\n`]);
            assert.equal((await cluster.rank(2).exec(...probe).ended).code, 0);
            assert.equal(await cluster.flux("run", "-N2", "hostname").then((text) => text.split("\n").length), 2);
            const { code, killed, message } = await pod.delete();
            assert.deepEqual([code, killed, message], [143, false, `minicluster.out=${FAILED}\n`]);
        });
    });

    it("runs the checks again in a new pod of a rank that stayed out, which then joins", async () => {
        const data = mkdtempSync(join(tmpdir(), "preflight-"));
        const script = "[[ $JOB_COMPLETION_INDEX == 0 || -e /data/repaired ]] || { echo broken; exit 1; }\n";
        const volumes = [{ name: "data", mountPath: "/data", hostPath: data }];
        try {
            await withPods({ maxSize: 2, size: 2, preflight: [{ name: "data", script }], volumes }, async (cluster) => {
                await cluster.up(2);
                await logs(cluster.rank(1), "data failed on rank 1: broken; this rank stays out");
                writeFileSync(join(data, "repaired"), "");
                await cluster.rank(1).delete();
                const [pod] = await cluster.start(1);
                await pod.ready();
                assert.equal(await cluster.flux("run", "-N2", "hostname").then((text) => text.split("\n").length), 2);
            });
        } finally {
            rmSync(data, { recursive: true });
        }
    });

    it("runs a command of an ephemeral cluster on the ranks that have joined", async () => {
        const args = { size: 3, minSize: 2, preflight: [GPU], command: ["hostname"], tasksPerNode: 1 };
        await withPods(args, async (cluster) => {
            const pods = await cluster.start(0, 1, 2);
            assert.equal((await pods[0].ended()).code, 0);
            assert.match(pods[0].container.output, /^mc-0$/m);
            assert.ok(pods[1].container.alive);
        });
    });

    it("ends a check after its timeout, with its children", async () => {
        const preflight = [{ name: "clock", script: "sleep 1000 & sleep 1000\n", timeout: 1 }];
        await withPods({ size: 2, preflight }, async (cluster) => {
            const [pod] = await cluster.start(0);
            const { code, message } = await pod.ended();
            assert.deepEqual(
                [code, message],
                [78, "minicluster.error=preflight check clock failed on rank 0: it did not end within 1 s\n"],
            );
        });
    });

    it("works for a user other than root, on a read-only root", async () => {
        const args = { size: 3, minSize: 2, preflight: [GPU], securityContext: { readOnlyRootFilesystem: true } };
        await withPods(
            args,
            async (cluster) => {
                await cluster.up(3);
                await logs(cluster.rank(1), `${FAILED}; this rank stays out`);
            },
            { user: { uid: 12345, gid: 12345 } },
        );
    });

    for (const [kind, args] of [
        ["ephemeral", { command: ["true"] }],
        ["persistent", {}],
    ] as [string, Partial<PlainArgs>][]) {
        it(`ends promptly if the pod of a cluster is told to stop during a check (${kind})`, async () => {
            const preflight = [{ name: "long", script: "trap '' TERM; echo begun; sleep 1000; sleep 1000\n" }];
            await withPods({ size: 2, preflight, ...args }, async (cluster) => {
                const [pod] = await cluster.start(1);
                await logs(pod, "begun");
                const { code, killed, message } = await pod.delete();
                assert.deepEqual([code, killed, message], [143, false, ""]);
            });
        });
    }
});
