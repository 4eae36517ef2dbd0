import { type V1Pod, Watch } from "@kubernetes/client-node";

import type { TestNamespace } from "./namespace";
import { until } from "./until";

/** How the pods of a namespace end: what kubelet says of each before it is gone. */
export class PodEnds {
    private readonly seen = new Set<string>();
    /** When the grace periods end. The API server sets a pod's deletionTimestamp anew when it removes it. */
    private readonly deadlines = new Map<string, number>();
    private readonly gone: V1Pod[] = [];
    private stop: () => void = () => undefined;

    private constructor() {}

    /** Looks from now on, at so many pods. */
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
        await until("all pods are seen", async () => ends.seen.size === pods || undefined);
        return ends;
    }

    /** The pods that took all the time that they had to end, and were killed or lost; once all pods are gone. */
    async killed(): Promise<string[]> {
        await until("all pods are gone", async () => this.gone.length === this.seen.size || undefined);
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
