import { type Kube, retry } from "../../provider/kubernetes/client";
import { type Summary, summaryOf } from "../../provider/observe/summary";
import { listJobs } from "../../provider/observe/job";

/** The MiniClusters of a namespace. */
export async function clustersIn(kube: Kube, namespace: string): Promise<Summary[]> {
    const jobs = await retry(() => listJobs(kube, namespace), kube.patience.tries);
    return jobs.map(summaryOf);
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
