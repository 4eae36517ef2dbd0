import type { V1Job } from "@kubernetes/client-node";
import * as pulumi from "@pulumi/pulumi";
import { FluxJob, MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "../../e2e/support/changing";
import { COMMAND } from "../../e2e/support/deeds";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { Part } from "../../model/commands";
import { argsOf, optionsOf, type Wish } from "../../model/support/wish";

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

    constructor(
        namespace: TestNamespace,
        name: string,
        public wish: Wish,
        private readonly secret: string,
    ) {
        super(namespace, name, {});
    }

    protected override program() {
        const { name, namespace, secret, wish } = this;
        const args = {
            ...argsOf(wish),
            image: namespace.image,
            // Another image would have to be made; another variable replaces the Job as well.
            environment: { PASSWORD: pulumi.secret(secret), IMAGE: wish.image },
            command: wish.command === undefined ? undefined : COMMAND,
            restful: wish.command === undefined ? { enabled: false } : undefined,
            timeouts: { ready: READY.cluster },
        };
        const cluster = new MiniCluster(name, args, optionsOf(wish));
        if (wish.fluxJob !== undefined) {
            const environment = { PASSWORD: pulumi.secret(secret) };
            new FluxJob(`${name}-run`, {
                cluster,
                command: [wish.fluxJob],
                environment,
                timeouts: { ready: READY.job },
            });
        }
        return { cluster };
    }

    /** URN of a part, where the state has it. */
    urn(part: Part): string | undefined {
        return this.child(part)?.urn;
    }
}

/** How a Job has ended: one that fails is still ending its pods. */
export function endOf(job: V1Job | undefined): "failed" | "succeeded" | undefined {
    const has = (...types: string[]) =>
        job?.status?.conditions?.some(({ status, type }) => types.includes(type) && status === "True");
    if (has("Failed", "FailureTarget")) {
        return "failed";
    }
    return has("Complete", "SuccessCriteriaMet") ? "succeeded" : undefined;
}
