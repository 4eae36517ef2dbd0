import { KUEUE_VERSIONS } from "../../contract/versions";
import type { Kube } from "../../kubernetes/client";
import { hasCode, ifServed } from "../../kubernetes/failures/failure";
import { pause } from "../../kubernetes/pause";
import { KUEUE, type WatchHandler, watchList } from "../../kubernetes/watch";
import { type Place, placeOf } from "./position";
import { describeWaiting } from "./words";
import { waitingWorkload, type Workload } from "./workload";

/** Label of a Workload with the UID of its Job. */
const JOB_UID_LABEL = "kueue.x-k8s.io/job-uid";
/** Milliseconds between reads of the place in the queue, which can't be watched. */
const READ_AGAIN = 10_000;

interface JobName {
    readonly namespace: string;
    readonly uid: string;
}

/**
 * Reports why Kueue has not admitted a Job and its place in the queue, until the signal aborts; reports undefined if Kueue
 * has admitted it or gives no reason. Ends without an error if Kueue, or the right to read its Workloads, is missing: a
 * wait doesn't need it.
 */
export async function watchQueue(
    kube: Kube,
    { namespace, uid }: JobName,
    report: (reason: string | undefined) => void,
    signal: AbortSignal,
): Promise<void> {
    const queue = new Waiting(kube, namespace, report);
    const labelSelector = `${JOB_UID_LABEL}=${uid}`;
    const stop = new AbortController();
    // A read of the place may take longer than the wait, and reports nothing after it.
    void queue.readPlaces(AbortSignal.any([stop.signal, signal]));
    for (const version of KUEUE_VERSIONS) {
        try {
            const request = { kind: "workloads", version, namespace, labelSelector } as const;
            await watchList(kube, request, queue.handler, signal);
            break;
        } catch (error) {
            if (!hasCode(error, 404)) {
                break;
            }
        }
    }
    stop.abort();
}

/** The Workloads of a Job, and the place of the one that waits. */
class Waiting {
    private readonly workloads = new Map<string, Workload>();
    private place: Place | undefined;
    private told: string | undefined;
    private isTold = false;
    /** Ends a pause between two reads of the place. */
    private changed = new AbortController();

    constructor(
        private readonly kube: Kube,
        private readonly namespace: string,
        private readonly report: (reason: string | undefined) => void,
    ) {}

    readonly handler: WatchHandler<Workload> = {
        listed: (all) => {
            this.workloads.clear();
            all.forEach((workload) => this.keep(workload));
            this.tell();
        },
        present: (workload) => {
            this.keep(workload);
            this.tell();
        },
        gone: ({ metadata }) => {
            this.workloads.delete(metadata?.uid ?? "");
            this.tell();
        },
    };

    /** Reads the place at once when a Workload waits, and again after a while. */
    async readPlaces(signal: AbortSignal): Promise<void> {
        while (!signal.aborted) {
            const changed = new AbortController();
            this.changed = changed;
            const workload = this.waiting;
            const place = workload && (await placeOf(this.kube, this.namespace, workload).catch(() => undefined));
            if (signal.aborted) {
                return;
            }
            this.keepPlace(place, workload);
            if (!changed.signal.aborted) {
                await pause(READ_AGAIN, AbortSignal.any([signal, changed.signal]));
            }
        }
    }

    /** Keeps the place of a Workload that still is the one that waits. */
    private keepPlace(place: Place | undefined, workload: Workload | undefined): void {
        if (place !== undefined && this.waiting?.metadata?.uid === workload?.metadata?.uid) {
            this.place = place;
            this.tell();
        }
    }

    private keep(workload: Workload): void {
        this.workloads.set(workload.metadata?.uid ?? "", workload);
    }

    private get waiting(): Workload | undefined {
        return waitingWorkload([...this.workloads.values()]);
    }

    private tell(): void {
        const { waiting } = this;
        if (waiting === undefined) {
            this.place = undefined;
        } else if (this.place === undefined) {
            this.changed.abort();
        }
        const reason = waiting && describeWaiting(waiting, this.place);
        if (!this.isTold || reason !== this.told) {
            this.told = reason;
            this.isTold = true;
            this.report(reason);
        }
    }
}

/** Why Kueue has not admitted a Job, in one look; undefined if it gives no reason. */
export async function queuedBecause(kube: Kube, { namespace, uid }: JobName): Promise<string | undefined> {
    const list = (version: string) =>
        kube.read<{ readonly items?: readonly Workload[] }>(
            `/apis/${KUEUE}/${version}/namespaces/${namespace}/workloads`,
            { labelSelector: `${JOB_UID_LABEL}=${uid}` },
        );
    const [newest, earlier] = KUEUE_VERSIONS;
    const { items = [] } = (await ifServed(list(newest))) ?? (await list(earlier));
    const waiting = waitingWorkload(items);
    return waiting && describeWaiting(waiting, await placeOf(kube, namespace, waiting));
}
