import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import type { ApiException, V1Pod } from "@kubernetes/client-node";

import { root } from "../../../scripts/local/paths";
import { ChangingCluster } from "./changing";
import { isReady } from "./kube";
import { rankOf } from "./namespace";
import { until } from "./until";

const main = join(root, "dist", "cli", "main.js");
const INDEX = "batch.kubernetes.io/job-completion-index";

/** A persistent cluster whose running jobs are protected from evictions. */
export class GuardedCluster extends ChangingCluster {
    /** The ranks that the PodDisruptionBudget covers: their numbers, `none`, or undefined for all. */
    async covered(): Promise<readonly string[] | undefined> {
        const { kube, name: namespace } = this.namespace;
        const { spec } = await kube.policy.readNamespacedPodDisruptionBudget({ name: this.name, namespace });
        return spec?.selector?.matchExpressions?.find(({ key }) => key === INDEX)?.values;
    }

    async untilCovered(...ranks: readonly (number | "none")[]): Promise<void> {
        const wanted = ranks.join();
        await until(`the budget covers ${wanted}`, async () => (await this.covered())?.join() === wanted || undefined);
    }

    /** Evicts the pod of a rank, as `kubectl drain` does. Returns the code of the answer. */
    async evict(rank: number): Promise<number | undefined> {
        const { kube, name: namespace } = this.namespace;
        const name = (await this.podOf(rank))?.metadata?.name ?? "";
        return kube.core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name } } }).then(
            () => 201,
            ({ code }: ApiException<unknown>) => code,
        );
    }

    /** Evicts the pod of a rank within some seconds, and waits until the next pod is ready. */
    async replace(rank: number, seconds = 15): Promise<void> {
        const before = (await this.podOf(rank))?.metadata?.uid;
        await until(`rank ${rank} may leave`, async () => (await this.evict(rank)) === 201 || undefined, seconds);
        await until(`the next pod of rank ${rank} is ready`, async () => {
            const pod = await this.podOf(rank);
            return (pod?.metadata?.uid !== before && isReady(pod)) || undefined;
        });
    }

    private async podOf(rank: number): Promise<V1Pod | undefined> {
        const pods = await this.namespace.pods(this.name);
        return pods.find((pod) => rankOf(pod) === rank && pod.metadata?.deletionTimestamp === undefined);
    }

    /** The drained ranks, as Flux lists them. */
    async drained(): Promise<readonly string[]> {
        return (await this.flux("resource", "drain", "-no", "{ranks}")).split("\n").filter(Boolean);
    }

    /** Submits a job that runs until it is cancelled, on these ranks, and returns its id when it runs. */
    async occupy(...ranks: readonly number[]): Promise<string> {
        const all = [`-N${ranks.length}`, `-n${ranks.length}`, `--requires=rank:${ranks.join()}`];
        const job = await this.flux("submit", ...all, "sleep", "inf");
        await this.flux("job", "wait-event", job, "start");
        return job;
    }

    /** Runs a command of `minicluster`. */
    async command(...words: readonly string[]): Promise<string> {
        const { stdout } = await promisify(execFile)(process.execPath, [main, "-c", this.name, ...words], {
            env: { ...process.env, KUBECONFIG: this.namespace.kubeconfig },
        });
        return stdout;
    }
}
