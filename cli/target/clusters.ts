import type { V1Job } from "@kubernetes/client-node";

import type { ResultsMark } from "../../provider/contract/results";
import { type Kube, retry } from "../../provider/kubernetes/client";
import { ending } from "../../provider/kubernetes/job";
import { type Summary, summaryOf } from "../../provider/observe/summary";
import { listJobs } from "../../provider/observe/job";
import { waitingResults } from "../../provider/observe/waitingResults";

/** The MiniClusters of a namespace. */
export async function clustersIn(kube: Kube, namespace: string): Promise<Summary[]> {
    return (await jobsIn(kube, namespace)).map(summaryOf);
}

/** The Jobs of the MiniClusters of a namespace. */
export function jobsIn(kube: Kube, namespace: string): Promise<readonly V1Job[]> {
    return retry(() => listJobs(kube, namespace), kube.patience.tries);
}

/** The results of a command for which the lead waits now. Undefined as well without the right to look. */
export function resultsIn(kube: Kube, job: V1Job): Promise<ResultsMark | undefined> {
    return ending(job) === undefined ? waitingResults(kube, job).catch(() => undefined) : Promise.resolve(undefined);
}

/** `lammps (ready, 2 of 2 ranks), namd (asleep)`. */
export function describeClusters(clusters: readonly Summary[]): string {
    return clusters.map((each) => `${each.name} (${describePhase(each)})`).join(", ");
}

export function describePhase({ phase, ready, size }: Summary): string {
    return ["ready", "starting"].includes(phase) ? `${phase}, ${ready} of ${size} ranks` : phase;
}

/** What every command says of a MiniCluster that doesn't exist. */
export function noCluster({ server }: Kube, namespace: string, name?: string): string {
    const what = name === undefined ? "no MiniCluster" : `no MiniCluster ${name}`;
    return `There is ${what} in the namespace ${namespace} of the cluster at ${server}.`;
}
