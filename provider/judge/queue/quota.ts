import { ifServed } from "../../kubernetes/failures/failure";
import { KUEUE } from "../../kubernetes/watch";
import { type Amounts, amountsOf } from "../fit/amounts";

/** What Kueue's queue of a Job leaves. */
export interface QueueQuota {
    readonly queue: string;
    /** Undefined if the LocalQueue doesn't exist. */
    readonly clusterQueue?: string;
    /** The resources of each group have one flavor, any of these. Undefined if the ClusterQueue can't be read. */
    readonly groups?: readonly (readonly Flavor[])[];
    /** True if Kueue may end other Jobs for this one. */
    readonly preempts?: boolean;
}

/** A flavor's amounts by resource. Without a limit of borrowing, a cohort may lend any amount. */
export interface Flavor {
    readonly name: string;
    readonly left: Amounts;
    readonly most: Amounts;
}

type Read = <T>(path: string) => Promise<T>;

interface LocalQueue {
    readonly spec?: { readonly clusterQueue?: string };
}

interface Quota {
    readonly name: string;
    readonly nominalQuota?: string;
    readonly borrowingLimit?: string;
}

interface Usage {
    readonly name: string;
    readonly resources?: readonly { readonly name: string; readonly total?: string }[];
}

/** The fields of a ClusterQueue that are read, of both versions of the API. */
export interface ClusterQueue {
    readonly spec?: {
        readonly cohort?: string;
        readonly cohortName?: string;
        readonly preemption?: Readonly<Record<string, unknown>>;
        readonly resourceGroups?: readonly {
            readonly flavors?: readonly { readonly name: string; readonly resources?: readonly Quota[] }[];
        }[];
    };
    readonly status?: { readonly flavorsReservation?: readonly Usage[] };
}

/**
 * Reads a LocalQueue and its ClusterQueue, for which users need a cluster-wide right. Undefined in a cluster without
 * Kueue. `unread` is called if the ClusterQueue can't be read.
 */
export async function readQueue(
    read: Read,
    namespace: string,
    queue: string,
    unread: (error: unknown) => void,
): Promise<QueueQuota | undefined> {
    const api = `/apis/${KUEUE}/v1beta2`;
    const local = await ifServed(read<LocalQueue>(`${api}/namespaces/${namespace}/localqueues/${queue}`));
    if (local === undefined) {
        return (await ifServed(read(api))) === undefined ? undefined : { queue };
    }
    const { clusterQueue = "" } = local.spec ?? {};
    try {
        return quotaOf(queue, clusterQueue, await read<ClusterQueue>(`${api}/clusterqueues/${clusterQueue}`));
    } catch (error) {
        unread(error);
        return { queue, clusterQueue };
    }
}

/** @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/ */
function quotaOf(queue: string, clusterQueue: string, { spec = {}, status = {} }: ClusterQueue): QueueQuota {
    const { cohort, cohortName = cohort, preemption = {}, resourceGroups = [] } = spec;
    const hasCohort = Boolean(cohortName);
    const used = (flavor: string): Amounts => {
        const usage = status.flavorsReservation?.find(({ name }) => name === flavor)?.resources ?? [];
        return amountsOf(Object.fromEntries(usage.map(({ name, total = "0" }) => [name, total])));
    };
    const groups = resourceGroups.map(({ flavors = [] }) =>
        flavors.map(({ name, resources = [] }) => {
            const most = Object.fromEntries(resources.map((quota) => [quota.name, mostOf(quota, hasCohort)]));
            const taken = used(name);
            const left = Object.entries(most).map(([key, amount]) => [key, Math.max(0, amount - (taken[key] ?? 0))]);
            return { name, most, left: Object.fromEntries(left) as Amounts };
        }),
    );
    return { queue, clusterQueue, groups, preempts: PREEMPTIONS.some((kind) => mayPreempt(preemption[kind])) };
}

const PREEMPTIONS = ["reclaimWithinCohort", "withinClusterQueue"];

function mayPreempt(policy: unknown): boolean {
    return typeof policy === "string" && policy !== "Never";
}

function mostOf({ borrowingLimit, name, nominalQuota = "0" }: Quota, hasCohort: boolean): number {
    const nominal = amountsOf({ [name]: nominalQuota })[name] ?? 0;
    if (!hasCohort) {
        return nominal;
    }
    return borrowingLimit === undefined ? Infinity : nominal + (amountsOf({ [name]: borrowingLimit })[name] ?? 0);
}
