import { PatchStrategy, setHeaderOptions, type V1Job } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";
import { until } from "./until";

/** The option of a merge patch, as in `kubectl patch --type=merge`. */
export const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

/** A cluster in Kubernetes and Flux, of any stack. */
export class LiveCluster {
    constructor(
        protected readonly namespace: TestNamespace,
        readonly name: string,
    ) {}

    job(): Promise<V1Job> {
        return this.namespace.kube.batch.readNamespacedJob({ name: this.name, namespace: this.namespace.name });
    }

    /** The Job, or undefined if it does not exist or is being deleted. */
    async liveJob(): Promise<V1Job | undefined> {
        const job = await this.job().catch((error: { code?: number }) =>
            error.code === 404 ? undefined : Promise.reject(error as unknown as Error),
        );
        return job?.metadata?.deletionTimestamp === undefined ? job : undefined;
    }

    /** Deletes the Job as another client, and waits until it does not exist any more. */
    async removeJob(): Promise<void> {
        const { kube, name: namespace } = this.namespace;
        await kube.batch.deleteNamespacedJob({ name: this.name, namespace, propagationPolicy: "Foreground" });
        await this.awaitRemoved();
    }

    /** Waits until the Job does not exist any more. */
    awaitRemoved(): Promise<true> {
        const isMissing = (error: { code?: number }) => (error.code === 404 ? true : undefined);
        return until("the Job is removed", () => this.job().then(() => undefined, isMissing));
    }

    async uid(): Promise<string | undefined> {
        return (await this.job()).metadata?.uid;
    }

    /** Patches the Job as another client. */
    async patchJob(body: object): Promise<void> {
        const { kube, name: namespace } = this.namespace;
        await kube.batch.patchNamespacedJob({ name: this.name, namespace, body }, MERGE);
    }

    /** UIDs of the pods that are not being deleted, in the order of their ranks. */
    async podUids(): Promise<(string | undefined)[]> {
        const pods = await this.namespace.pods(this.name);
        return pods
            .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
            .map(({ metadata }) => metadata?.uid);
    }

    /** The output of a Flux command on the lead. */
    async flux(...command: string[]): Promise<string> {
        return (await this.namespace.exec(this.name, ["flux", ...command])).trim();
    }

    /** The number of nodes in each state of `flux resource list`, without states that have no nodes. */
    async nodes(): Promise<Record<string, number>> {
        const list = await this.flux("resource", "list", "--skip-empty", "-no", "{state} {nnodes}");
        const rows = list.split("\n").map((line) => line.split(" "));
        return Object.fromEntries(
            rows.map(([state, count]) => [state, Number(count)]).filter(([, count]) => count !== 0),
        );
    }
}
