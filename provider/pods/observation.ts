import type { CoreV1Event, V1Job, V1ObjectMeta } from "@kubernetes/client-node";

import type { Pod } from "./pod";

/** A complaint of Kubernetes about the Job or one of its pods. */
export interface Warning {
    readonly reason: string;
    readonly message: string;
    /** Milliseconds since 1970 at which it was first seen since it last held. */
    readonly at: number;
}

/** All that has been seen of a Job; changed by the watches, read by the rules. */
export class Observation {
    jobListed = false;
    /** The Job has been there since the wait began. */
    hadJob = false;
    podsListed = false;
    /** Why the queue has not let the Job start, in Kueue's words. */
    queueReason: string | undefined;
    private live: V1Job | undefined;
    private readonly pods = new Map<string, Pod>();
    /** What `ranks` gave, until a pod changes. */
    private sorted: readonly Pod[] | undefined;
    /** By the UID of what it is about and its reason; the newest text, the oldest time. */
    private readonly warnings = new Map<string, Warning>();
    /** The version of each Event that was read, by the Event's UID. */
    private readonly versions = new Map<string, string | undefined>();
    /** By watch, of those that the API server doesn't answer. */
    private readonly silences = new Map<string, { readonly message: string; readonly at: number }>();
    /** How often in a row pods of a rank were seen to end before they were ready. */
    private readonly crashes = new Map<number, number>();
    /** Since when a pod has been waiting for one and the same reason, by pod and reason. */
    private readonly since = new Map<string, number>();

    constructor(
        readonly uid: string,
        /** When the wait began, in milliseconds since 1970. */
        readonly begun: number,
    ) {}

    /** Undefined until the first list is read, and when the Job is gone. */
    get job(): V1Job | undefined {
        return this.live;
    }

    set job(job: V1Job | undefined) {
        this.live = job;
        this.hadJob ||= job !== undefined;
        this.endWarnings();
    }

    setPod(pod: Pod, now: number): void {
        this.countCrash(this.pods.get(pod.uid), pod);
        this.pods.set(pod.uid, pod);
        this.sorted = undefined;
        this.keepSince(`${pod.uid} waiting`, pod.waiting !== undefined && isTrouble(pod.waiting.reason), now);
        this.keepSince(`${pod.uid} unschedulable`, pod.unschedulable !== undefined, now);
        this.endWarnings(pod);
    }

    removePod(uid: string): void {
        this.pods.delete(uid);
        this.sorted = undefined;
    }

    get podCount(): number {
        return this.pods.size;
    }

    removePods(): void {
        this.pods.clear();
        this.sorted = undefined;
    }

    addWarning(event: CoreV1Event, now: number): void {
        const { involvedObject, message = "", metadata, reason = "" } = event;
        if (this.hasRead(metadata)) {
            return;
        }
        const key = `${involvedObject.uid} ${reason}`;
        this.warnings.set(key, { reason, message, at: this.warnings.get(key)?.at ?? now });
        this.endWarnings();
    }

    /** A list that is read anew has the Events of the one before: they are no news. */
    private hasRead({ resourceVersion, uid }: V1ObjectMeta): boolean {
        const known = uid !== undefined && this.versions.get(uid) === resourceVersion;
        if (uid !== undefined) {
            this.versions.set(uid, resourceVersion);
        }
        return known;
    }

    /** Forgets the warnings whose cause is over: the same warning later is about something else. */
    private endWarnings(changed?: Pod): void {
        const { parallelism = Infinity, suspend } = this.live?.spec ?? {};
        if (suspend || this.podCount >= parallelism) {
            this.warnings.delete(`${this.uid} FailedCreate`);
        }
        if (changed?.startedAt !== undefined) {
            this.warnings.delete(`${changed.uid} FailedMount`);
        }
    }

    /** What Kubernetes complains of about an object, for this reason. */
    warning(uid: string, reason: string): Warning | undefined {
        return this.warnings.get(`${uid} ${reason}`);
    }

    crashesOf(rank: number): number {
        return this.crashes.get(rank) ?? 0;
    }

    /** An answer of the API server to one of the watches, or why there is none. */
    setAnswer(watch: string, silence: string | undefined, now: number): void {
        if (silence === undefined) {
            this.silences.delete(watch);
        } else {
            this.silences.set(watch, { message: silence, at: this.silences.get(watch)?.at ?? now });
        }
    }

    /** The watch that has had no answer for the longest time. */
    get silence(): { readonly message: string; readonly at: number } | undefined {
        return [...this.silences.values()].sort((a, b) => a.at - b.at)[0];
    }

    waitingSince(pod: Pod): number | undefined {
        return this.since.get(`${pod.uid} waiting`);
    }

    unschedulableSince(pod: Pod): number | undefined {
        return this.since.get(`${pod.uid} unschedulable`);
    }

    /** The pod that stands for each rank: its newest one; in the order of the ranks. */
    ranks(): readonly Pod[] {
        this.sorted ??= this.newestPods();
        return this.sorted;
    }

    private newestPods(): Pod[] {
        const newest = new Map<number, Pod>();
        for (const pod of this.pods.values()) {
            const other = newest.get(pod.rank);
            if (other === undefined || isNewer(pod, other)) {
                newest.set(pod.rank, pod);
            }
        }
        return [...newest.values()].sort((a, b) => a.rank - b.rank);
    }

    /** What ended before this looked on is left out: it may long be history. */
    private countCrash(before: Pod | undefined, pod: Pod): void {
        const { deleting, disrupted, rank, readyAt, terminated } = pod;
        if (readyAt !== undefined || before?.readyAt !== undefined) {
            this.crashes.delete(rank);
        } else if (
            before !== undefined &&
            before.terminated === undefined &&
            isFailure(terminated) &&
            !deleting &&
            disrupted === undefined
        ) {
            this.crashes.set(rank, this.crashesOf(rank) + 1);
        }
    }

    private keepSince(key: string, holds: boolean, now: number): void {
        if (!holds) {
            this.since.delete(key);
        } else if (!this.since.has(key)) {
            this.since.set(key, now);
        }
    }
}

/** Every container waits for a moment; these reasons are something else. */
export function isTrouble(reason: string): boolean {
    return !["", "ContainerCreating", "PodInitializing"].includes(reason);
}

function isFailure(terminated: Pod["terminated"]): boolean {
    return terminated !== undefined && terminated.exitCode !== 0;
}

function isNewer(pod: Pod, other: Pod): boolean {
    if (pod.deleting !== other.deleting) {
        return other.deleting;
    }
    return pod.createdAt > other.createdAt;
}
