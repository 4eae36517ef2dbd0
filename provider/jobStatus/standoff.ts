import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../contract/labels";
import type { Kube } from "../kubernetes/client";
import { hasCode } from "../kubernetes/failures/failure";
import { ending } from "../kubernetes/job";
import type { JobId } from "../kubernetes/jobId";
import { listAll } from "../kubernetes/list";
import { isHeld } from "../kubernetes/sleep";
import { CLUSTERS } from "../observe/summary";
import type { Observation } from "../observe/pods/observation";
import { type Pod, summarize } from "../observe/pods/pod";

/** Milliseconds for which pods must lack a node: a scheduler needs some time for many pods. */
const PATIENCE = 10_000;
/** Milliseconds between the first two looks at other clusters. Each further pause is twice as long. */
const AGAIN = 10_000;
const LONGEST = 300_000;

/** How many of its pods a cluster holds nodes for, and how many it lacks. */
export interface Holding {
    readonly name: string;
    readonly holds: number;
    readonly lacks: number;
}

/**
 * Tells once of another cluster of the namespace if both hold nodes for a part of their pods, and lack the rest: each may
 * wait for the other without end.
 */
export class Standoff {
    private since: number | undefined;
    private nextAt = -Infinity;
    private pause = AGAIN;
    /** The clusters can't be read. */
    private isRefused = false;
    private readonly told = new Set<string>();

    constructor(
        private readonly kube: Kube,
        private readonly id: JobId,
        private readonly tell: (text: string) => void,
        private readonly signal: AbortSignal,
    ) {}

    /** Reads the other clusters if it is time. Returns when to look again, in milliseconds since 1970. */
    look(seen: Observation, now: number): number | undefined {
        const own = ownHolding(this.id.name, seen);
        if (own === undefined || this.isRefused) {
            this.since = undefined;
            return undefined;
        }
        this.since ??= now;
        const due = Math.max(this.since + PATIENCE, this.nextAt);
        if (now < due) {
            return due;
        }
        this.nextAt = now + this.pause;
        this.pause = Math.min(2 * this.pause, LONGEST);
        void this.read(own, now).catch((error: unknown) => (this.isRefused = hasCode(error, 403)));
        return this.nextAt;
    }

    private async read(own: Holding, now: number): Promise<void> {
        const { namespace } = this.id;
        const list = <T>(path: string, labelSelector: string) =>
            listAll<T>(this.kube, path, { labelSelector }, this.signal);
        const [jobs, pods] = await Promise.all([
            list<V1Job>(`/apis/batch/v1/namespaces/${namespace}/jobs`, CLUSTERS),
            list<V1Pod>(`/api/v1/namespaces/${namespace}/pods`, CLUSTERS),
        ]);
        for (const other of holdingsOf(jobs, pods, now)) {
            if (other.name !== own.name && !this.told.has(other.name) && !this.signal.aborted) {
                this.told.add(other.name);
                this.tell(describe(own, other));
            }
        }
    }
}

/** Undefined unless the cluster holds nodes for a part of its pods, and something keeps the rest from nodes. */
export function ownHolding(name: string, seen: Observation): Holding | undefined {
    const ranks = seen.ranks();
    const holds = ranks.filter(holdsNode).length;
    const lacks = (seen.job?.spec?.parallelism ?? 0) - holds;
    const isStuck =
        ranks.some(({ unschedulable }) => unschedulable !== undefined) || seen.warningsOf(seen.uid).length > 0;
    return holds > 0 && lacks > 0 && isStuck ? { name, holds, lacks } : undefined;
}

/** A pod that has ended gives back what it took of its node; the end of its broker alone gives nothing back. */
function holdsNode({ node, phase }: Pod): boolean {
    return node !== undefined && !["Failed", "Succeeded"].includes(phase);
}

/** The clusters that hold nodes for a part of their pods, while the scheduler finds none for another one. */
export function holdingsOf(jobs: readonly V1Job[], pods: readonly V1Pod[], now: number): Holding[] {
    return jobs
        .filter((job) => ending(job) === undefined && !isHeld(job))
        .map(({ metadata, spec }) => {
            const { name = "" } = metadata ?? {};
            const own = pods.filter((pod) => pod.metadata?.labels?.[JOB_NAME_LABEL] === name);
            const holds = own.map(summarize).filter(holdsNode).length;
            const isStuck = own.some((pod) => isUnschedulable(pod, now));
            return { name, holds, lacks: isStuck ? (spec?.parallelism ?? 0) - holds : 0 };
        })
        .filter(({ holds, lacks }) => holds > 0 && lacks > 0);
}

function isUnschedulable({ status }: V1Pod, now: number): boolean {
    const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
    const since = new Date(scheduled?.lastTransitionTime ?? now).getTime();
    return scheduled?.reason === "Unschedulable" && now - since >= PATIENCE;
}

function describe(own: Holding, other: Holding): string {
    const part = ({ holds, lacks, name }: Holding) =>
        `${name} holds nodes for ${holds} pod${holds === 1 ? "" : "s"} and lacks ${lacks}`;
    return (
        `two clusters may wait for each other: ${part(own)}, ${part(other)}. Lower the size of one, destroy or suspend one ` +
        "until the other has started, or give both a queue or a PodGroup (docs/scheduling.md), which " +
        "starts a cluster with enough pods or not at all"
    );
}
