import { PatchStrategy, setHeaderOptions, type V1Job } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";

/** Makes a patch one that the API server merges into the object, as `kubectl patch --type=merge` does. */
export const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

/** A cluster as Kubernetes and Flux see it, whichever stack it is of. */
export class LiveCluster {
    constructor(
        protected readonly namespace: TestNamespace,
        readonly name: string,
    ) {}

    job(): Promise<V1Job> {
        return this.namespace.kube.batch.readNamespacedJob({ name: this.name, namespace: this.namespace.name });
    }

    /** The Job, unless it is gone or is being deleted. */
    async liveJob(): Promise<V1Job | undefined> {
        const job = await this.job().catch((error: { code?: number }) =>
            error.code === 404 ? undefined : Promise.reject(error as unknown as Error),
        );
        return job?.metadata?.deletionTimestamp === undefined ? job : undefined;
    }

    async uid(): Promise<string | undefined> {
        return (await this.job()).metadata?.uid;
    }

    /** Somebody else changes the Job. */
    async patchJob(body: object): Promise<void> {
        const { kube, name: namespace } = this.namespace;
        await kube.batch.patchNamespacedJob({ name: this.name, namespace, body }, MERGE);
    }

    /** UIDs of the pods that stay, in the order of their ranks. */
    async podUids(): Promise<(string | undefined)[]> {
        const pods = await this.namespace.pods(this.name);
        return pods
            .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
            .map(({ metadata }) => metadata?.uid);
    }

    /** What a Flux command prints on rank 0. */
    async flux(...command: string[]): Promise<string> {
        return (await this.namespace.exec(this.name, ["flux", ...command])).trim();
    }

    /** How many nodes are in which state, by `flux resource list`; states without nodes left out. */
    async nodes(): Promise<Record<string, number>> {
        const list = await this.flux("resource", "list", "--skip-empty", "-no", "{state} {nnodes}");
        const rows = list.split("\n").map((line) => line.split(" "));
        return Object.fromEntries(
            rows.map(([state, count]) => [state, Number(count)]).filter(([, count]) => count !== 0),
        );
    }
}
