import assert from "node:assert/strict";

import type * as pulumi from "@pulumi/pulumi";
import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { LiveCluster } from "./liveCluster";
import type { TestNamespace } from "./namespace";
import { operations, type Program, type TestStack } from "./stack";

export interface Preview {
    /** Operations other than `same`, by the resource's name. */
    readonly changes: Record<string, string>;
    /** Without the spaces that align its colons. */
    readonly text: string;
    readonly warnings: readonly string[];
}

/** A cluster without a command has no RESTful server here, because that server has its own tests. */
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
        /** @default a function that declares the cluster with its current arguments */
        program?: Program,
    ) {
        super(namespace, name);
        this.args = args;
        this.stack = namespace.stack(name, program ?? (() => this.outputs()));
    }

    private async outputs(): Promise<object> {
        const {
            cluster: { exitCode, output, phase },
            ...others
        } = this.program();
        // With a secret output, each Pulumi command needs a second command that decrypts the output.
        return { cluster: { exitCode, output, phase }, ...others };
    }

    /** Declares the stack's resources. Returns the cluster and the other outputs. */
    protected program(): { readonly cluster: MiniCluster } & Record<string, unknown> {
        const { args, name, namespace, opts } = this;
        return { cluster: new MiniCluster(name, { image: namespace.image, ...bareUnlessCommand(args) }, opts) };
    }

    set(args: ChangingCluster["args"]): void {
        this.args = { ...this.args, ...args };
    }

    /** A child resource in the state: `job`, `status`, `secret`. */
    child(part: string) {
        return this.stack.resources().find(({ urn }) => urn.endsWith(`::${this.name}-${part}`));
    }

    /** UID of the Job in the state. */
    knownUid(): string | undefined {
        return this.child("job")?.id?.split("/")[2];
    }

    /** Requires that the state has the live Job and no pending operation, and that a preview shows no changes. */
    async assertSettled(): Promise<void> {
        await this.assertOneJob();
        await this.stack.preview(true);
    }

    /** Requires the same as `assertSettled`, and that a refresh finds no changes. */
    async assertUnchanged(): Promise<void> {
        await this.assertOneJob();
        await this.stack.unchanged();
    }

    private async assertOneJob(): Promise<void> {
        const job = await this.job();
        assert.equal(this.child("job")?.id, `${this.namespace.name}/${this.name}/${job.metadata?.uid}`);
        assert.deepEqual(this.stack.state().pendingOperations, []);
    }

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

/** The operations on resources in these events, by resource name, without the operation `same`. */
export function changes(events: Parameters<typeof operations>[0]): Record<string, string> {
    const changed = Object.entries(operations(events)).filter(
        ([name, op]) => op !== "same" && !/^(default|e2e-)/.test(name),
    );
    return Object.fromEntries(changed);
}
