import type { Pod } from "./pod";

/** A pod that Kubernetes has marked before it removed it, for example by an eviction. */
export interface Loss {
    /** When the mark was first seen, in milliseconds since 1970. */
    readonly at: number;
    /** As it was seen last. */
    readonly pod: Pod;
}

/** The last pod of each rank that Kubernetes has removed. The pod itself is soon gone, and a new one has its rank. */
export class Losses {
    private readonly byRank = new Map<number, Loss>();

    see(pod: Pod, now: number): void {
        const before = this.byRank.get(pod.rank);
        const isSame = before?.pod.uid === pod.uid;
        if (isSame || pod.disrupted !== undefined) {
            this.byRank.set(pod.rank, { at: isSame ? before.at : now, pod });
        }
    }

    /** In the order of their times. */
    all(): readonly Loss[] {
        return [...this.byRank.values()].sort((a, b) => a.at - b.at);
    }
}
