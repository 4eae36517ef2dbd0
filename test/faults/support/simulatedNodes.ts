import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { binaries } from "../../../scripts/local/binaries";
import { kwok } from "../../../scripts/local/pieces";
import { isReady, Kube } from "../../e2e/support/kube";
import { until } from "../../e2e/support/until";
import { sharedCluster } from "../../e2e/support/sharedCluster";

/** Label and taint of simulated nodes, which run only pods that select and tolerate it. */
const LABEL = "flux-minicluster/simulated";

/** Arguments that place the pods of a cluster on simulated nodes. */
export const ON_SIMULATED_NODES = {
    nodeSelector: { [LABEL]: "true" },
    tolerations: [{ key: LABEL, operator: "Exists" }],
};

/**
 * Registers nodes whose pods run nothing. The API server, the scheduler and the Job controller are real. KWOK reports
 * the nodes and pods as healthy in place of the kubelets.
 */
export function useSimulatedNodes(count: number): void {
    const names = Array.from({ length: count }, (_, index) => `simulated-${index}`);
    let kube: Kube;
    let stop: (() => Promise<void>) | undefined;

    before(async function () {
        // KWOK may have to be built.
        this.timeout(1_200_000);
        const { cluster } = await sharedCluster();
        kube = new Kube(cluster.kubeconfig);
        stop = await startKwok(cluster.kubeconfig);
        const taints = [{ key: LABEL, value: "true", effect: "NoSchedule" }];
        for (const name of names) {
            await kube.core.createNode({ body: { metadata: { name, labels: { [LABEL]: "true" } }, spec: { taints } } });
        }
        await until("the simulated nodes are ready", async () =>
            (await readyNodes(kube)) === count ? true : undefined,
        );
    });

    after(async () => {
        await Promise.allSettled(names.map((name) => kube.core.deleteNode({ name })));
        await stop?.();
    });
}

async function readyNodes({ core }: Kube): Promise<number> {
    const { items } = await core.listNode({ labelSelector: LABEL });
    return items.filter(isReady).length;
}

async function startKwok(kubeconfig: string): Promise<() => Promise<void>> {
    const program = join(await binaries(kwok), "kwok");
    const folder = mkdtempSync(join(tmpdir(), "kwok-"));
    const log = join(folder, "log");
    const file = openSync(log, "w");
    const args = [
        `--kubeconfig=${kubeconfig}`,
        `--config=${join(__dirname, "stages.yaml")}`,
        `--manage-nodes-with-label-selector=${LABEL}=true`,
        // Without a lease the node would count as lost after a while, and its pods as not ready.
        "--node-lease-duration-seconds=40",
    ];
    const child = spawn(program, args, { stdio: ["ignore", file, file], env: { ...process.env, HOME: folder } });
    closeSync(file);
    const ended = once(child, "exit");
    void ended.then(
        ([code]) => code && console.error(`kwok ended with ${code}:\n${readFileSync(log, "utf8").slice(-2000)}`),
    );
    return async () => {
        child.kill();
        await ended;
        rmSync(folder, { recursive: true });
    };
}
