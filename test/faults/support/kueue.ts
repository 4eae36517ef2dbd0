import { type KubernetesObject, PatchStrategy } from "@kubernetes/client-node";

import type { Kube } from "../../e2e/support/kube";
import type { TestNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";
import { kubernetesWith } from "./kubernetesWith";

const API = "kueue.x-k8s.io/v1beta2";

/** A Kubernetes with the real Kueue. */
export const kubernetesWithKueue = () => kubernetesWith("KUEUE");

export interface QueueOptions {
    /** @default "team" */
    readonly name?: string;
    /** CPUs by flavor. Each flavor needs its node label, or none. */
    readonly flavors: readonly { readonly name: string; readonly cpu: string; readonly spec?: object }[];
    readonly preemption?: object;
}

/** Kueue's objects, as an administrator makes them for a namespace. */
export class Queues {
    private readonly made: KubernetesObject[] = [];

    constructor(private readonly namespace: TestNamespace) {}

    /** Makes a LocalQueue with a ClusterQueue of its own, and waits until it takes Jobs. */
    async make({ flavors, name = "team", preemption }: QueueOptions): Promise<void> {
        const shared = this.shared(name);
        for (const flavor of flavors) {
            await this.create("ResourceFlavor", this.shared(flavor.name), flavor.spec ?? {}, false);
        }
        const spec = { namespaceSelector: {}, preemption, resourceGroups: [this.groupOf(flavors)] };
        await this.create("ClusterQueue", shared, spec, false);
        await this.create("LocalQueue", name, { clusterQueue: shared }, true);
        await until("the queue is active", async () => {
            const { status } = await this.read("LocalQueue", name, true);
            const active = status?.conditions?.find(({ type }: { type: string }) => type === "Active");
            return active?.status === "True" ? true : undefined;
        });
    }

    async priorities(classes: Readonly<Record<string, number>>): Promise<void> {
        for (const [name, value] of Object.entries(classes)) {
            await this.add({
                apiVersion: API,
                kind: "WorkloadPriorityClass",
                metadata: { name: this.shared(name) },
                value,
            });
        }
    }

    /** Changes the CPUs of the only flavor of a queue. */
    async setCpu(cpu: string, flavor = "plain", name = "team"): Promise<void> {
        await this.patch(
            "ClusterQueue",
            this.shared(name),
            { resourceGroups: [this.groupOf([{ name: flavor, cpu }])] },
            false,
        );
    }

    /** CPUs that the Jobs of a LocalQueue have. */
    async used(name = "team"): Promise<string> {
        const { status } = await this.read("LocalQueue", name, true);
        const resources = status?.flavorsReservation?.flatMap((flavor: any) => flavor.resources ?? []) ?? [];
        return String(resources.find((resource: any) => resource.name === "cpu")?.total ?? "0");
    }

    /** The names of cluster-wide objects, which several namespaces must not share. */
    shared(name: string): string {
        return `${this.namespace.name}-${name}`;
    }

    async patch(kind: string, name: string, spec: object, isOwn = true): Promise<void> {
        const metadata = { name, ...(isOwn ? { namespace: this.namespace.name } : {}) };
        const body = { apiVersion: API, kind, metadata, spec } as KubernetesObject;
        await this.kube.objects.patch(body, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
    }

    async read(kind: string, name: string, isOwn = true): Promise<any> {
        const metadata = { name, ...(isOwn ? { namespace: this.namespace.name } : {}) } as { name: string };
        return this.kube.objects.read({ apiVersion: API, kind, metadata });
    }

    /** The Workloads of a Job that have not finished, the oldest first. */
    async workloads(job: string): Promise<any[]> {
        const list = await this.kube.objects.list<any>(API, "Workload", this.namespace.name);
        const isOf = ({ metadata }: any) => metadata.ownerReferences?.some((owner: any) => owner.name === job);
        const isOpen = ({ status }: any) =>
            !status?.conditions?.some(({ status: holds, type }: any) => type === "Finished" && holds === "True");
        return list.items.filter((workload) => isOf(workload) && isOpen(workload));
    }

    async remove(object: { readonly kind: string; readonly name: string }): Promise<void> {
        const { kind, name } = object;
        await this.kube.remove({ apiVersion: API, kind, metadata: { name, namespace: this.namespace.name } });
    }

    async removeAll(): Promise<void> {
        for (const object of this.made.reverse()) {
            await this.kube.remove(object);
        }
    }

    private get kube(): Kube {
        return this.namespace.kube;
    }

    /** The sidecar of a cluster that sizes itself requests memory too. */
    private groupOf(flavors: QueueOptions["flavors"]): object {
        return {
            coveredResources: ["cpu", "memory"],
            flavors: flavors.map(({ cpu, name }) => ({
                name: this.shared(name),
                resources: [
                    { name: "cpu", nominalQuota: cpu },
                    { name: "memory", nominalQuota: "16Gi" },
                ],
            })),
        };
    }

    private create(kind: string, name: string, spec: object, isOwn: boolean): Promise<void> {
        const metadata = { name, ...(isOwn ? { namespace: this.namespace.name } : {}) };
        return this.add({ apiVersion: API, kind, metadata, spec });
    }

    private async add(object: KubernetesObject & { readonly spec?: object; readonly value?: number }): Promise<void> {
        await this.kube.objects.create(object);
        this.made.push(object);
    }
}
