import type { CoreV1Event, V1Job } from "@kubernetes/client-node";

import { createdAtOf } from "../job";
import { isLasting } from "../causes/lastingWords";
import { plainText } from "./plainText";
import { Losses } from "./losses";
import type { Pod } from "./pod";
import { claimKey, lastTimeOf, type Warning, Warnings } from "./warnings";

/** The first of a row of pods of one rank that their nodes have refused, and when it was seen. */
export interface Refusal {
    readonly at: number;
    /** The newest of these pods. */
    readonly pod: Pod;
}

/** Everything that was seen of a Job. The watches write it, the rules read it. */
export class Observation {
    jobListed = false;
    /** The Job has been seen since the wait began. */
    hadJob = false;
    /** When it was created. */
    createdAt: string | undefined;
    podsListed = false;
    /** Why Kueue has not admitted the Job, in Kueue's words. */
    queueReason: string | undefined;
    private live: V1Job | undefined;
    private readonly pods = new Map<string, Pod>();
    /** Cached result of `ranks`, until a pod changes. */
    private sorted: readonly Pod[] | undefined;
    private readonly warnings = new Warnings();
    /** By the UID of a pod: when its kubelet has begun its newest pull of an image. */
    private readonly pulls = new Map<string, number>();
    /** By watch: why the API server doesn't answer it, and since when. */
    private readonly silences = new Map<string, { readonly message: string; readonly at: number }>();
    /** By rank: how many of its pods in a row were seen to end before they were ready. */
    private readonly crashes = new Map<number, number>();
    /** By rank. */
    private readonly refused = new Map<number, Refusal>();
    readonly losses = new Losses();
    /** Since when a pod has been in one of the states of `STATES`, by its UID and the state. */
    private readonly since = new Map<string, number>();

    constructor(
        readonly uid: string,
        /** When the wait began, in milliseconds since 1970. */
        public begun: number,
    ) {}

    /** Undefined until the first list is read, and when the Job doesn't exist any more. */
    get job(): V1Job | undefined {
        return this.live;
    }

    set job(job: V1Job | undefined) {
        this.live = job;
        this.hadJob ||= job !== undefined;
        this.createdAt ??= job && createdAtOf(job);
        this.endWarnings();
    }

    setPod(pod: Pod, now: number): void {
        this.countCrash(this.pods.get(pod.uid), pod);
        this.pods.set(pod.uid, pod);
        this.sorted = undefined;
        this.keepRefusal(pod, now);
        this.losses.see(pod, now);
        for (const [state, holds] of Object.entries(STATES)) {
            this.keepSince(`${pod.uid} ${state}`, holds(pod), now);
        }
        this.endWarnings(pod);
    }

    removePod(uid: string): void {
        this.pods.delete(uid);
        this.warnings.end(uid);
        this.pulls.delete(uid);
        this.sorted = undefined;
    }

    podOf(uid: string): Pod | undefined {
        return this.pods.get(uid);
    }

    get podCount(): number {
        return this.pods.size;
    }

    removePods(): void {
        this.pods.clear();
        this.sorted = undefined;
    }

    /** `listed` is true for Events of the first list. */
    addWarning(event: CoreV1Event, now: number, listed = false): void {
        this.warnings.add(event, now, listed);
        this.endWarnings();
    }

    /** Keeps when a kubelet has begun a pull, from its Event. */
    addPull(event: CoreV1Event, now: number): void {
        const { uid = "" } = event.involvedObject;
        this.pulls.set(uid, Math.max(lastTimeOf(event) ?? now, this.pullOf(uid) ?? 0));
    }

    /** When a pod's kubelet has begun its newest pull, by the kubelet's clock. */
    pullOf(uid: string): number | undefined {
        return this.pulls.get(uid);
    }

    /** Forgets warnings whose cause is over: the same warning later has another cause. */
    private endWarnings(changed?: Pod): void {
        const { parallelism = Infinity, suspend } = this.live?.spec ?? {};
        if (suspend || this.podCount >= parallelism) {
            this.warnings.end(this.uid, "FailedCreate");
        }
        if (changed?.startedAt !== undefined) {
            this.warnings.end(changed.uid);
        }
    }

    /** The warnings about an object, the newest first. */
    warningsOf(uid: string): Warning[] {
        return this.warnings.of(uid);
    }

    /**
     * The newest warning about the claims of a pod's volumes. An older one than the pod may be of an earlier claim with
     * this name.
     */
    claimWarning({ claims = [], createdAt }: Pod): Warning | undefined {
        const all = claims.flatMap((name) => this.warnings.of(claimKey(name)));
        return all.filter(({ last }) => last >= createdAt).sort((a, b) => b.at - a.at)[0];
    }

    /** The pods of a rank that their nodes have refused one after the other; undefined once a pod has started. */
    refusalOf(rank: number): Refusal | undefined {
        return this.refused.get(rank);
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

    /** Since when a pod has been in a state, in milliseconds since 1970. */
    sinceOf(pod: Pod, state: State): number | undefined {
        return this.since.get(`${pod.uid} ${state}`);
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

    private keepRefusal(pod: Pod, now: number): void {
        if (pod.startedAt !== undefined) {
            this.refused.delete(pod.rank);
        } else if (pod.refused !== undefined && this.refused.get(pod.rank)?.pod.uid !== pod.uid) {
            this.refused.set(pod.rank, { at: this.refused.get(pod.rank)?.at ?? now, pod });
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

/** What a pod that hasn't started may wait for, as a rule about the pod. */
const STATES = {
    gated: ({ gates }: Pod) => gates !== undefined,
    unschedulable: ({ unschedulable }: Pod) => unschedulable !== undefined,
    unseen: ({ unseen }: Pod) => unseen === true,
    image: waitsForImage,
    waiting: (pod: Pod) => waitsInTrouble(pod) && !waitsForImage(pod),
    lasting: ({ unschedulable, waiting }: Pod) => isLasting(plainText((unschedulable ?? waiting)?.message ?? "")),
} as const;

export type State = keyof typeof STATES;

const IMAGE_REASONS = ["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "SignatureValidationFailed"];

/** True if a container waits for its image after a failed try. */
export function waitsForImage({ waiting }: Pod): boolean {
    return waiting !== undefined && IMAGE_REASONS.includes(waiting.reason);
}

/** True if a container waits for a reason that a normal start doesn't have. */
export function waitsInTrouble({ waiting }: Pod): boolean {
    return waiting !== undefined && !["", "ContainerCreating", "PodInitializing"].includes(waiting.reason);
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
