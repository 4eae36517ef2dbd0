import assert from "node:assert/strict";

import type * as pulumi from "@pulumi/pulumi";
import { FluxJob } from "flux-minicluster";

import { ANNOTATIONS } from "../../../provider/contract/labels";
import { ChangingCluster } from "../../e2e/support/changing";
import type { FaultProxy } from "../../e2e/support/faultProxy";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { TestStack } from "../../e2e/support/stack";
import type { Operation, Subject } from "./matrix";

/** Makes a stack that uses the proxy. */
export function through<T>(namespace: TestNamespace, proxy: FaultProxy, make: () => T): T {
    const direct = namespace.kubeconfig;
    namespace.kubeconfig = proxy.kubeconfig;
    try {
        return make();
    } finally {
        namespace.kubeconfig = direct;
    }
}

/** A MiniCluster of one or two nodes. */
export class ClusterSubject implements Subject {
    readonly stack: TestStack;
    private readonly cluster: ChangingCluster;
    private changes = 0;

    constructor(
        private readonly namespace: TestNamespace,
        readonly name: string,
        readonly proxy: FaultProxy,
        make = (args: ChangingCluster["args"]): ChangingCluster => new ChangingCluster(namespace, name, args),
    ) {
        this.cluster = through(namespace, proxy, () => make({ size: 1, maxSize: 2 }));
        this.stack = this.cluster.stack;
    }

    async prepare(operation: Operation): Promise<void> {
        this.changes++;
        if (operation === "update") {
            this.cluster.set({ size: this.cluster.args.size === 1 ? 2 : 1 });
        }
        if (operation === "replacement") {
            this.cluster.set({ broker: { connectTimeout: 2 + this.changes } });
        }
    }

    readonly target = (): string => this.cluster.child("job")?.urn ?? "";

    async live(): Promise<string | undefined> {
        return (await this.cluster.liveJob())?.metadata?.uid;
    }

    known(): string | undefined {
        return this.cluster.knownUid();
    }

    isOver(): boolean {
        return false;
    }

    async assertSettled(): Promise<void> {
        await this.cluster.assertSettled();
        const { size = 1 } = this.cluster.args;
        assert.equal((await this.cluster.nodes()).free, size);
        const kinds = (await this.namespace.objects()).filter(this.isOurs).map((object) => object.split("/")[0]);
        const pods = Array.from({ length: Number(size) }, () => "Pod");
        const expected = ["ConfigMap", "Job", ...pods, "Secret", "Service", "Service"];
        assert.deepEqual(kinds.filter((kind) => !kind.startsWith("Endpoint")).sort(), expected);
        await this.assertOneJob();
    }

    assertNothingLeft(): Promise<void> {
        return this.namespace.assertNothingLeft(this.isOurs);
    }

    async clear(): Promise<void> {
        const { kube, name: namespace } = this.namespace;
        const left = (await this.namespace.objects()).filter(this.isOurs).map((object) => object.split("/"));
        const kinds: Readonly<Record<string, string>> = {
            ConfigMap: "v1",
            Job: "batch/v1",
            Secret: "v1",
            Service: "v1",
        };
        const owned = left.filter(([kind]) => kind in kinds);
        await Promise.all(
            owned.map(([kind, name]) => kube.remove({ apiVersion: kinds[kind], kind, metadata: { name, namespace } })),
        );
        await this.namespace.assertNothingLeft((object) => this.isOurs(object) && !/^(Endpoint|Pod)/.test(object));
    }

    private async assertOneJob(): Promise<void> {
        const nonceOf = (annotations?: Record<string, string>) => annotations?.[ANNOTATIONS.nonce];
        const nonce = nonceOf((await this.cluster.job()).metadata?.annotations);
        const { items } = await this.namespace.kube.batch.listNamespacedJob({ namespace: this.namespace.name });
        assert.equal(items.filter(({ metadata }) => nonceOf(metadata?.annotations) === nonce).length, 1);
    }

    private readonly isOurs = (object: string): boolean => new RegExp(`/${this.name}(-|$)`).test(object);
}

/** A job in a shared cluster. Each run of the job adds a line to a file. */
export class FluxJobSubject implements Subject {
    readonly stack: TestStack;
    private trigger = 0;
    private wait = true;
    private runs = 0;

    constructor(
        private readonly namespace: TestNamespace,
        readonly name: string,
        readonly proxy: FaultProxy,
        private readonly cluster: { readonly name: string } & pulumi.Unwrap<Record<string, unknown>>,
    ) {
        this.stack = through(namespace, proxy, () =>
            namespace.stack(name, async () => {
                const command = ["sh", "-c", `echo run >> /tmp/${name}`];
                new FluxJob(name, { cluster: cluster as any, command, triggers: [this.trigger], wait: this.wait });
            }),
        );
    }

    /** The operation "update" waits for a job that an earlier update has only submitted. */
    async prepare(operation: Operation): Promise<void> {
        if (operation === "replacement" || operation === "update") {
            this.trigger++;
        }
        if (operation === "update") {
            this.wait = false;
            await this.stack.up();
        }
        this.wait = true;
        this.runs = await this.countRuns(operation === "update");
    }

    readonly target = (): string => this.submission()?.urn ?? "";

    async live(): Promise<string | undefined> {
        const ids = await this.jobs();
        assert(ids.length <= 1, `Flux has the jobs ${ids.join(", ")} for one ticket`);
        return ids[0];
    }

    known(): string | undefined {
        return this.submission()?.outputs?.["jobId"] as string | undefined;
    }

    isOver(): boolean {
        return ["failed", "succeeded"].includes(this.submission()?.outputs?.["phase"] as string);
    }

    async assertSettled(operation: Operation): Promise<void> {
        assert.deepEqual(this.stack.state().pendingOperations, []);
        await this.stack.preview(true);
        const runs = (await this.countRuns(false)) - this.runs;
        const expected = operation === "targeted replacement" ? [0, 1] : [operation === "update" ? 0 : 1];
        assert(expected.includes(runs), `the job ran ${runs} times`);
    }

    async assertNothingLeft(): Promise<void> {
        assert.deepEqual(await this.jobs(), []);
    }

    private submission() {
        return this.stack.resources().find(({ urn }) => urn.endsWith(`::${this.name}-submission`));
    }

    private async jobs(): Promise<string[]> {
        const list = await this.exec(`flux jobs -ano "{id.f58plain}" --name=${this.name}`);
        return list.split("\n").filter((line) => line !== "");
    }

    /** The number of runs so far. With `ended` it waits for the end of the present job first. */
    private async countRuns(ended: boolean): Promise<number> {
        const [id] = ended ? await this.jobs() : [];
        const wait = id === undefined ? "" : `flux job wait-event --quiet ${id} clean; `;
        return Number(await this.exec(`${wait}cat /tmp/${this.name} 2>/dev/null | wc -l`));
    }

    private async exec(script: string): Promise<string> {
        return (await this.namespace.exec(this.cluster.name, ["sh", "-c", script])).trim();
    }
}
