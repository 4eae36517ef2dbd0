import type { CoreV1Event, V1Job, V1ObjectMeta } from "@kubernetes/client-node";

import type { Pod } from "./pod";

/** A warning of Kubernetes about the Job or one of its pods. */
export interface Warning {
    readonly reason: string;
    readonly message: string;
    /** Milliseconds since 1970: when it was first seen, or first seen again after its cause was over. */
    readonly at: number;
}

/** Everything that was seen of a Job. The watches write it, the rules read it. */
export class Observation {
    jobListed = false;
    /** The Job has been seen since the wait began. */
    hadJob = false;
    podsListed = false;
    /** Why Kueue has not admitted the Job, in Kueue's words. */
    queueReason: string | undefined;
    private live: V1Job | undefined;
    private readonly pods = new Map<string, Pod>();
    /** Cached result of `ranks`, until a pod changes. */
    private sorted: readonly Pod[] | undefined;
    /** By the object's UID and the reason: the newest message, with the time of the first. */
    private readonly warnings = new Map<string, Warning>();
    /** Version of each Event that was read, by the Event's UID. */
    private readonly versions = new Map<string, string | undefined>();
    /** By watch: why the API server doesn't answer it, and since when. */
    private readonly silences = new Map<string, { readonly message: string; readonly at: number }>();
    /** By rank: how many of its pods in a row were seen to end before they were ready. */
    private readonly crashes = new Map<number, number>();
    /** Since when a pod has been waiting or unschedulable, by its UID and that word. */
    private readonly since = new Map<string, number>();

    constructor(
        readonly uid: string,
        /** When the wait began, in milliseconds since 1970. */
        readonly begun: number,
    ) {}

    /** Undefined until the first list is read, and when the Job doesn't exist any more. */
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

    /** True for an Event that was read before: each new list repeats the Events of the previous list. */
    private hasRead({ resourceVersion, uid }: V1ObjectMeta): boolean {
        const known = uid !== undefined && this.versions.get(uid) === resourceVersion;
        if (uid !== undefined) {
            this.versions.set(uid, resourceVersion);
        }
        return known;
    }

    /** Deletes warnings whose cause is over: the same warning later has another cause. */
    private endWarnings(changed?: Pod): void {
        const { parallelism = Infinity, suspend } = this.live?.spec ?? {};
        if (suspend || this.podCount >= parallelism) {
            this.warnings.delete(`${this.uid} FailedCreate`);
        }
        if (changed?.startedAt !== undefined) {
            this.warnings.delete(`${changed.uid} FailedMount`);
        }
    }

    /** The warning about an object with this reason. */
    warning(uid: string, reason: string): Warning | undefined {
        return this.warnings.get(`${uid} ${reason}`);
    }

    crashesOf(rank: number): number {
        return this.crashes.get(rank) ?? 0;
    }

    /** Records that the API server answers a watch, or the error (`silence`) if it doesn't. */
    setAnswer(watch: string, silence: string | undefined, now: number): void {
        if (silence === undefined) {
            this.silences.delete(watch);
        } else {
            this.silences.set(watch, { message: silence, at: this.silences.get(watch)?.at ?? now });
        }
    }

    /** The error of the watch that has been without an answer for the longest time. */
    get silence(): { readonly message: string; readonly at: number } | undefined {
        return [...this.silences.values()].sort((a, b) => a.at - b.at)[0];
    }

    waitingSince(pod: Pod): number | undefined {
        return this.since.get(`${pod.uid} waiting`);
    }

    unschedulableSince(pod: Pod): number | undefined {
        return this.since.get(`${pod.uid} unschedulable`);
    }

    /** The newest pod of each rank, sorted by rank. */
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

    /**
     * Counts a pod that was seen to end before it was ready. A pod that had ended before the first look is left out.
     */
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

/** True if a container waits for a reason that a normal start doesn't have. */
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
