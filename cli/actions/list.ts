import { retry } from "../../provider/kube/client";
import { CLUSTERS, summaryOf } from "../../provider/kube/summary";
import type { Arguments } from "../arguments";
import { kubeOf, namespaceOf } from "../target";
import { age, table } from "../terminal";

/** Lists the MiniClusters of a namespace. */
export async function list({ options }: Arguments): Promise<number> {
    const kube = kubeOf(options);
    const namespace = namespaceOf(kube, options);
    const { items } = await retry(() => kube.batch.listNamespacedJob({ namespace, labelSelector: CLUSTERS }));
    const clusters = items.map(summaryOf);
    if (options.json) {
        process.stdout.write(`${JSON.stringify(clusters, undefined, 2)}\n`);
        return 0;
    }
    const rows = clusters.map(({ createdAt, name, phase, ready, size }) => [
        name,
        phase,
        `${ready}/${size}`,
        age(Date.now() - new Date(createdAt).getTime()),
    ]);
    process.stdout.write(table(["NAME", "PHASE", "READY", "AGE"], rows));
    return 0;
}
