import type { V1Job } from "@kubernetes/client-node";

import { labelsOf } from "../../provider/contract/labels";
import { retry } from "../../provider/kube/client";
import { ending } from "../../provider/kube/job";
import type { Arguments } from "../arguments";
import { kubeOf, namespaceOf } from "../target";
import { age, table } from "../terminal";

/** Lists the MiniClusters of a namespace. */
export async function list({ options }: Arguments): Promise<number> {
    const kube = kubeOf(options);
    const namespace = namespaceOf(kube, options);
    const label = "app.kubernetes.io/name";
    const labelSelector = `${label}=${labelsOf("")[label]}`;
    const { items } = await retry(() => kube.batch.listNamespacedJob({ namespace, labelSelector }));
    const clusters = items.map(describe);
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

/** A cluster as its Job alone describes it. */
export function describe(job: V1Job) {
    const { creationTimestamp = 0, name = "", namespace = "" } = job.metadata ?? {};
    const [size, ready] = [job.spec?.parallelism ?? 1, job.status?.ready ?? 0];
    return { name, namespace, phase: phaseOf(job), ready, size, createdAt: new Date(creationTimestamp).toISOString() };
}

function phaseOf(job: V1Job): string {
    const end = ending(job);
    if (end !== undefined) {
        return end.failed ? "failed" : "succeeded";
    }
    if (job.spec?.suspend) {
        return "suspended";
    }
    return (job.status?.ready ?? 0) >= (job.spec?.parallelism ?? 1) ? "ready" : "starting";
}
