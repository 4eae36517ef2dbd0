import assert from "node:assert/strict";

import { PatchStrategy, setHeaderOptions, type V1Job } from "@kubernetes/client-node";
import type * as pulumi from "@pulumi/pulumi";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import type { TestNamespace } from "./namespace";
import { operations, type TestStack } from "./stack";

/** How somebody else changes an object: as `kubectl patch --type=merge` does. */
export const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

export interface Preview {
    /** Operations that are more than `same`, by the resource's name. */
    readonly changes: Record<string, string>;
    /** Without the spaces that put its colons below each other. */
    readonly text: string;
    readonly warnings: readonly string[];
}

/** Without a command and without the RESTful server, which has tests of its own. */
export function bareUnlessCommand(args: Partial<MiniClusterArgs>): Partial<MiniClusterArgs> {
    return args.command === undefined ? { restful: { enabled: false }, ...args } : args;
}

/** A stack with one MiniCluster whose arguments a test changes from one update to the next. */
export class ChangingCluster {
    readonly stack: TestStack;
    args: Omit<MiniClusterArgs, "image"> & { image?: string };

    constructor(
        protected readonly namespace: TestNamespace,
        readonly name: string,
        args: ChangingCluster["args"],
        private readonly opts?: pulumi.ComponentResourceOptions,
    ) {
        this.args = args;
        this.stack = namespace.stack(name, async () => this.program());
    }

    /** What the stack consists of; its outputs. */
    protected program(): { readonly cluster: MiniCluster } & Record<string, unknown> {
        const { args, name, namespace, opts } = this;
        return { cluster: new MiniCluster(name, { image: namespace.image, ...bareUnlessCommand(args) }, opts) };
    }

    set(args: ChangingCluster["args"]): void {
        this.args = { ...this.args, ...args };
    }

    job(): Promise<V1Job> {
        return this.namespace.kube.batch.readNamespacedJob({ name: this.name, namespace: this.namespace.name });
    }

    async uid(): Promise<string | undefined> {
        return (await this.job()).metadata?.uid;
    }

    /** Somebody else changes the Job. */
    async patchJob(body: object): Promise<void> {
        const { kube, name: namespace } = this.namespace;
        await kube.batch.patchNamespacedJob({ name: this.name, namespace, body }, MERGE);
    }

    /** UIDs of the pods that stay, in the order of their ranks. */
    async podUids(): Promise<(string | undefined)[]> {
        const pods = await this.namespace.pods(this.name);
        return pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).map(({ metadata }) => metadata?.uid);
    }

    /** What a Flux command prints on rank 0. */
    async flux(...command: string[]): Promise<string> {
        return (await this.namespace.exec(this.name, ["flux", ...command])).trim();
    }

    /** How many nodes are in which state, by `flux resource list`; states without nodes left out. */
    async nodes(): Promise<Record<string, number>> {
        const list = await this.flux("resource", "list", "--skip-empty", "-no", "{state} {nnodes}");
        const rows = list.split("\n").map((line) => line.split(" "));
        return Object.fromEntries(rows.map(([state, count]) => [state, Number(count)]).filter(([, count]) => count !== 0));
    }

    /** What the state holds of a child: `job`, `status`, `secret`. */
    child(part: string) {
        return this.stack.resources().find(({ urn }) => urn.endsWith(`::${this.name}-${part}`));
    }

    /** The state agrees with the cluster, there is one Job, and nothing is left to do. */
    async assertSettled(): Promise<void> {
        const job = await this.job();
        assert.equal(this.child("job")?.id, `${this.namespace.name}/${this.name}/${job.metadata?.uid}`);
        assert.deepEqual(this.stack.state().pendingOperations, []);
        await this.stack.preview(true);
    }

    /** What preview says. */
    async preview(): Promise<Preview> {
        const { events, text } = await this.stack.preview();
        const diagnostics = events.flatMap(({ diagnosticEvent }) => (diagnosticEvent === undefined ? [] : [diagnosticEvent]));
        return {
            changes: changes(events),
            text: text.replaceAll(/ +/g, " ").replaceAll(" :", ":"),
            warnings: diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message),
        };
    }
}

/** What is done, or is to be done, to resources, by their names; what stays as it is is left out. */
export function changes(events: Parameters<typeof operations>[0]): Record<string, string> {
    const changed = Object.entries(operations(events)).filter(([name, op]) => op !== "same" && !/^(default|e2e-)/.test(name));
    return Object.fromEntries(changed);
}
