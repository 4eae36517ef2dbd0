import { type V1Pod, Watch } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";
import { until } from "./until";

/** The ends of a namespace's pods: the last status of each pod before its removal. */
export class PodEnds {
    private readonly seen = new Set<string>();
    /**
     * The ends of the grace periods by UID. The first one counts: at removal the API server changes deletionTimestamp.
     */
    private readonly deadlines = new Map<string, number>();
    private readonly gone: V1Pod[] = [];
    private stop: () => void = () => undefined;

    private constructor() {}

    /** Starts to watch this number of pods. */
    static async watch({ kube, name }: TestNamespace, pods: number): Promise<PodEnds> {
        const ends = new PodEnds();
        const look = (type: string, pod: V1Pod) => ends.look(type, pod);
        const request = await new Watch(kube.config).watch(
            `/api/v1/namespaces/${name}/pods`,
            {},
            look,
            () => undefined,
        );
        ends.stop = () => request.abort();
        await until("all pods are watched", async () => ends.seen.size === pods || undefined);
        return ends;
    }

    /** Waits until all pods are removed. Returns those that used their whole grace period: killed or lost ones. */
    async killed(): Promise<string[]> {
        await until("all pods are removed", async () => this.gone.length === this.seen.size || undefined);
        this.stop();
        const late = this.gone.filter(({ metadata, status }) => {
            const ends = status?.containerStatuses?.map(({ state }) => state?.terminated?.finishedAt) ?? [undefined];
            const deadline = this.deadlines.get(metadata?.uid ?? "") ?? 0;
            return ends.some((end) => end === undefined || new Date(end).getTime() >= deadline);
        });
        return late.map(({ metadata, status }) => `${metadata?.name}: ${JSON.stringify(status?.containerStatuses)}`);
    }

    private look(type: string, pod: V1Pod): void {
        const { deletionTimestamp, uid = "" } = pod.metadata ?? {};
        this.seen.add(uid);
        if (deletionTimestamp !== undefined && !this.deadlines.has(uid)) {
            this.deadlines.set(uid, new Date(deletionTimestamp).getTime());
        }
        if (type === "DELETED") {
            this.gone.push(pod);
        }
    }
}
