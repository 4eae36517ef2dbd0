import { validateFluxQueue } from "../features/broker/queues";
import type { Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import type { FluxJobSpec } from "./spec";

/** Problems of a job on a MiniCluster of the same program, whose arguments are known. */
export function problemsOnCluster(job: FluxJobSpec, cluster: MiniClusterSpec): Problem[] {
    return validateFluxQueue(job, cluster);
}

/** What such a job may not expect. */
export function warningsOnCluster(job: FluxJobSpec, { name, rank }: MiniClusterSpec): string[] {
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
