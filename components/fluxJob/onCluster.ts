import { validateFluxQueue } from "../features/broker/queues";
import { WaitFor } from "../features/update";
import type { Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import { problemsOfResultsOn } from "./results";
import type { FluxJobSpec } from "./spec";

/** Problems of a job on a MiniCluster of the same program, whose arguments are known. */
export function problemsOnCluster(job: FluxJobSpec, cluster: MiniClusterSpec): Problem[] {
    return [...validateEnd(cluster), ...validateFluxQueue(job, cluster), ...problemsOfResultsOn(job, cluster)];
}

/** Refuses a cluster that has ended when the job is submitted, because the job waits for it as Pulumi does. */
function validateEnd({ mode, name, waitFor }: MiniClusterSpec): Problem[] {
    if (mode === "persistent" || waitFor !== WaitFor.Completed) {
        return [];
    }
    const reason = `is MiniCluster "${name}", whose command has ended (waitFor "completed") before this job can be submitted.`;
    const cure = "Remove the cluster's command: the cluster then takes jobs until it is destroyed.";
    return [{ property: "cluster", reason: `${reason} ${cure}` }];
}

/** What such a job may not expect. */
export function warningsOnCluster(job: FluxJobSpec, cluster: MiniClusterSpec): string[] {
    return [...warnOfEnd(cluster), ...warnOfGpus(job, cluster)];
}

function warnOfEnd({ mode, name }: MiniClusterSpec): string[] {
    const reason = `cluster is MiniCluster "${name}", which ends with its command and then takes no jobs.`;
    return mode === "persistent" ? [] : [`${reason} Remove the cluster's command if jobs are to outlive it.`];
}

function warnOfGpus(job: FluxJobSpec, { name, rank }: MiniClusterSpec): string[] {
    const { exclusive, gpusPerTask, nodes, shellOptions = {}, tasks, tasksPerNode } = job;
    // Whole nodes have all their GPUs.
    const hasNodes = exclusive || tasksPerNode !== undefined || (nodes !== undefined && tasks === undefined);
    const isSaid = gpusPerTask !== undefined || shellOptions["gpu-affinity"] !== undefined;
    if (rank.gpus === 0 || hasNodes || isSaid) {
        return [];
    }
    const why = `gpusPerTask is missing, so Flux hides the GPUs of MiniCluster "${name}" (${rank.gpus} on each rank) from it.`;
    return [`${why} Give gpusPerTask, or 0 if the job needs no GPU.`];
}
