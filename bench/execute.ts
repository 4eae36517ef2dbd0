import { Writable } from "node:stream";

import { Exec } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../components/names";
import type { Kube } from "../provider/kube/client";

/** Runs a command in rank 0 of a cluster until it has ended well. */
export async function execute(kube: Kube, namespace: string, cluster: string, command: readonly string[]): Promise<void> {
    const labelSelector = `${JOB_NAME_LABEL}=${cluster},batch.kubernetes.io/job-completion-index=0`;
    const { items } = await kube.core.listNamespacedPod({ namespace, labelSelector, limit: 1 });
    const pod = items[0]?.metadata?.name ?? "";
    const ignored = new Writable({ write: (_chunk, _encoding, done) => done() });
    await new Promise<void>((resolve, reject) => {
        new Exec(kube.config)
            .exec(namespace, pod, "flux", [...command], ignored, ignored, null, false, ({ message, status }) =>
                status === "Success" ? resolve() : reject(new Error(`${command.join(" ")}: ${message}`)),
            )
            .catch(reject);
    });
}
