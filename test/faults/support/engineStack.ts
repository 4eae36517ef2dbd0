import type { V1Job } from "@kubernetes/client-node";
import * as pulumi from "@pulumi/pulumi";
import { FluxJob, type Interrupt, MiniCluster, type WaitFor } from "flux-minicluster";

import { ChangingCluster } from "../../e2e/support/changing";
import { COMMAND } from "../../e2e/support/deeds";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { Part } from "../../model/commands";
import type { Wish } from "../../model/support/program";

/** Seconds that a FluxJob waits for a cluster that takes no jobs, and an update for one that doesn't come up. */
const READY = { job: 20, cluster: 150 };

/** A stack of a history: the model's wish as a program. */
export class EngineStack extends ChangingCluster {
    /** What was done by others since the last refresh, or by an operation that failed, is not in the state. */
    uncertain = false;
    /** The last operation was an up that succeeded, and nothing was asked for since. */
    settled = false;
    /** An operation was interrupted: what it made may still be going. */
    interrupted = false;
    readonly tainted = new Set<Part>();

    constructor(namespace: TestNamespace, name: string, public wish: Wish, private readonly secret: string) {
        super(namespace, name, {});
    }

    protected override program() {
        const { name, namespace, secret, wish } = this;
        const args = {
            image: namespace.image,
            size: wish.size,
            maxSize: 4,
            // Another image would have to be made; another variable replaces the Job as well.
            environment: { PASSWORD: pulumi.secret(secret), IMAGE: wish.image },
            command: wish.command === undefined ? undefined : COMMAND,
            restful: wish.command === undefined ? { enabled: false } : undefined,
            jobAnnotations: wish.annotation === undefined ? undefined : { note: wish.annotation },
            interrupt: wish.interrupt as Interrupt,
            ttlSecondsAfterFinished: wish.ttl,
            deadlineSeconds: wish.deadline,
            suspend: wish.suspend,
            waitFor: wish.waitFor as WaitFor | undefined,
            triggers: wish.trigger === undefined ? undefined : [wish.trigger],
            rotate: wish.rotate,
            timeouts: { ready: READY.cluster },
        };
        const cluster = new MiniCluster(name, args, wish.elastic ? { ignoreChanges: ["size"] } : {});
        if (wish.fluxJob !== undefined) {
            const environment = { PASSWORD: pulumi.secret(secret) };
            new FluxJob(`${name}-run`, { cluster, command: [wish.fluxJob], environment, timeouts: { ready: READY.job } });
        }
        return { cluster };
    }

    /** URN of a part, where the state has it. */
    urn(part: Part): string | undefined {
        return this.child(part)?.urn;
    }

    /** The live Job, unless it is being deleted. */
    async alive(): Promise<V1Job | undefined> {
        const job = await this.job().catch((error: { code?: number }) => (error.code === 404 ? undefined : Promise.reject(error as unknown as Error)));
        return job?.metadata?.deletionTimestamp === undefined ? job : undefined;
    }

    knownUid(): string | undefined {
        return this.child("job")?.id?.split("/")[2];
    }
}

/** How a Job has ended: one that fails is still ending its pods. */
export function endOf(job: V1Job | undefined): "failed" | "succeeded" | undefined {
    const has = (...types: string[]) => job?.status?.conditions?.some(({ status, type }) => types.includes(type) && status === "True");
    if (has("Failed", "FailureTarget")) {
        return "failed";
    }
    return has("Complete", "SuccessCriteriaMet") ? "succeeded" : undefined;
}
