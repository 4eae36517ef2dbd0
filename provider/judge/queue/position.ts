import { KUEUE_VERSIONS } from "../../contract/versions";
import type { Kube } from "../../kubernetes/client";
import { hasCode } from "../../kubernetes/failures/failure";
import { KUEUE } from "../../kubernetes/watch";
import type { Workload } from "./workload";

/** The place of a Workload among those that wait in its LocalQueue. */
export interface Place {
    readonly queue: string;
    /** Number of Workloads that wait. */
    readonly waiting: number;
    /** From 1 on. Undefined without the visibility API. */
    readonly position?: number;
}

interface Pending {
    readonly items?: readonly { readonly metadata?: { readonly name?: string } }[];
}

interface LocalQueue {
    readonly status?: { readonly pendingWorkloads?: number };
}

/**
 * Reads the place of a Workload: from the visibility API, else from the status of its LocalQueue, which has only the
 * number. Undefined if neither can be read.
 * @see https://kueue.sigs.k8s.io/docs/tasks/manage/monitor_pending_workloads/pending_workloads_on_demand/
 */
export async function placeOf(kube: Kube, namespace: string, workload: Workload): Promise<Place | undefined> {
    const { queueName: queue } = workload.spec ?? {};
    if (queue === undefined) {
        return undefined;
    }
    const of = (group: string, version: string) =>
        `/apis/${group}/${version}/namespaces/${namespace}/localqueues/${queue}`;
    const pending = await newest((version) =>
        kube.read<Pending>(`${of(`visibility.${KUEUE}`, version)}/pendingworkloads`, { limit: String(MOST) }),
    );
    const place = placeIn(pending?.items ?? [], workload);
    if (place !== undefined) {
        return { queue, ...place };
    }
    const local = await newest((version) => kube.read<LocalQueue>(of(KUEUE, version), {}));
    const waiting = local?.status?.pendingWorkloads ?? 0;
    return waiting === 0 ? undefined : { queue, waiting };
}

function placeIn(items: Pending["items"] & object, { metadata: own }: Workload): Omit<Place, "queue"> | undefined {
    const index = items.findIndex(({ metadata }) => metadata?.name === own?.name);
    return index < 0 ? undefined : { waiting: items.length, position: index + 1 };
}

/** Workloads of a queue that are read. */
const MOST = 1000;

/** The answer in the newest version of an API; undefined if none can be read. */
async function newest<T>(read: (version: string) => Promise<T>): Promise<T | undefined> {
    for (const version of KUEUE_VERSIONS) {
        try {
            return await read(version);
        } catch (error) {
            if (!hasCode(error, 404)) {
                return undefined;
            }
        }
    }
    return undefined;
}
