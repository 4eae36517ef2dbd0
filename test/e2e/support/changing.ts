import assert from "node:assert/strict";

import type * as pulumi from "@pulumi/pulumi";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { LiveCluster } from "./liveCluster";
import type { TestNamespace } from "./namespace";
import { operations, type TestStack } from "./stack";

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
export class ChangingCluster extends LiveCluster {
    readonly stack: TestStack;
    args: Omit<MiniClusterArgs, "image"> & { image?: string };

    constructor(
        namespace: TestNamespace,
        name: string,
        args: ChangingCluster["args"],
        private readonly opts?: pulumi.ComponentResourceOptions,
    ) {
        super(namespace, name);
        this.args = args;
        this.stack = namespace.stack(name, async () => {
            const {
                cluster: { exitCode, output, phase },
                ...others
            } = this.program();
            // An output that is a secret would cost each command of Pulumi another one, which decrypts it.
            return { cluster: { exitCode, output, phase }, ...others };
        });
    }

    /** What the stack consists of, and what it has for outputs beside the cluster's. */
    protected program(): { readonly cluster: MiniCluster } & Record<string, unknown> {
        const { args, name, namespace, opts } = this;
        return { cluster: new MiniCluster(name, { image: namespace.image, ...bareUnlessCommand(args) }, opts) };
    }

    set(args: ChangingCluster["args"]): void {
        this.args = { ...this.args, ...args };
    }

    /** What the state holds of a child: `job`, `status`, `secret`. */
    child(part: string) {
        return this.stack.resources().find(({ urn }) => urn.endsWith(`::${this.name}-${part}`));
    }

    /** UID of the Job that the state has. */
    knownUid(): string | undefined {
        return this.child("job")?.id?.split("/")[2];
    }

    /** The state agrees with the cluster, there is one Job, and nothing is left to do. */
    async assertSettled(): Promise<void> {
        await this.assertOneJob();
        await this.stack.preview(true);
    }

    /** As `assertSettled`, and a refresh finds nothing either. */
    async assertUnchanged(): Promise<void> {
        await this.assertOneJob();
        await this.stack.unchanged();
    }

    private async assertOneJob(): Promise<void> {
        const job = await this.job();
        assert.equal(this.child("job")?.id, `${this.namespace.name}/${this.name}/${job.metadata?.uid}`);
        assert.deepEqual(this.stack.state().pendingOperations, []);
    }

    /** What preview says. */
    async preview(): Promise<Preview> {
        const { events, text } = await this.stack.preview();
        const diagnostics = events.flatMap(({ diagnosticEvent }) =>
            diagnosticEvent === undefined ? [] : [diagnosticEvent],
        );
        return {
            changes: changes(events),
            text: text.replaceAll(/ +/g, " ").replaceAll(" :", ":"),
            warnings: diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message),
        };
    }
}

/** What is done, or is to be done, to resources, by their names; what stays as it is is left out. */
export function changes(events: Parameters<typeof operations>[0]): Record<string, string> {
    const changed = Object.entries(operations(events)).filter(
        ([name, op]) => op !== "same" && !/^(default|e2e-)/.test(name),
    );
    return Object.fromEntries(changed);
}
