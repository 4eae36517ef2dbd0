import type { ClusterPlan } from "./clusterPlan";
import type { JobPlan } from "./jobPlan";

/** What an update or a destroy is to do. */
export interface Plan {
    readonly clusters: readonly ClusterPlan[];
    readonly fluxJobs: readonly JobPlan[];
    /** The sum over all clusters, at most; null if one of them has no time limit. */
    readonly nodeHours: number | null;
    /** True if running work may end. */
    readonly kills: boolean;
    /** Why Pulumi refuses the change. */
    readonly errors: readonly string[];
}

export interface Limits {
    readonly maxNodeHours?: number;
    readonly noKill: boolean;
}

export function summarize(
    clusters: readonly ClusterPlan[],
    fluxJobs: readonly JobPlan[],
    errors: readonly string[],
): Plan {
    const hours = clusters.map(({ nodeHours }) => nodeHours);
    return {
        clusters,
        fluxJobs,
        nodeHours: hours.some((each) => each === null) ? null : hours.reduce<number>((sum, each) => sum + each!, 0),
        kills: clusters.some(({ ends }) => ends?.kills === true) || fluxJobs.some(({ kills }) => kills),
        errors,
    };
}

/** Says which limits a plan exceeds. */
export function violations({ clusters, fluxJobs, kills, nodeHours }: Plan, { maxNodeHours, noKill }: Limits): string[] {
    const killed = [
        ...clusters.filter(({ ends }) => ends?.kills).map(({ name, namespace }) => `MiniCluster ${namespace}/${name}`),
        ...fluxJobs.filter((job) => job.kills).map(({ name }) => `FluxJob ${name}`),
    ];
    const found: string[] = [];
    if (noKill && kills) {
        found.push(`--no-kill: running work may end, of ${killed.join(", ")}`);
    }
    if (maxNodeHours !== undefined && nodeHours === null) {
        const why = "a cluster has no time limit, or a value that the preview doesn't show";
        found.push(`--max-node-hours ${maxNodeHours}: the node-hours aren't known: ${why}`);
    } else if (maxNodeHours !== undefined && nodeHours! > maxNodeHours) {
        found.push(`--max-node-hours ${maxNodeHours}: the plan takes up to ${rounded(nodeHours!)} node-hours`);
    }
    return found;
}

/** At most two decimals. */
export function rounded(hours: number): string {
    return String(Math.round(hours * 100) / 100);
}
