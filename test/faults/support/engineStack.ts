import type { V1Job } from "@kubernetes/client-node";
import * as pulumi from "@pulumi/pulumi";
import { FluxJob, MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "../../e2e/support/changing";
import { COMMAND } from "../../e2e/support/podActions";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { Part } from "../../model/commands";
import { argsOf, optionsOf, type Wish } from "../../model/support/wish";

/** Timeouts in seconds: of a FluxJob for its cluster, and of an update for a cluster. */
const READY = { job: 20, cluster: 150 };

/** A stack of a history, whose program follows the model's wish. */
export class EngineStack extends ChangingCluster {
    /** The state may lack changes, by other clients since the last refresh or by a failed operation. */
    uncertain = false;
    /** The last operation was a successful up, and the wish has not changed since. */
    settled = false;
    /** An operation was interrupted, so some of its objects may still be ending. */
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
            // There is no second image. Another variable replaces the Job as well.
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

    /** URN of a part, if the state has it. */
    urn(part: Part): string | undefined {
        return this.child(part)?.urn;
    }
}

/** The result of a Job. A failed Job may still be ending its pods. */
export function endOf(job: V1Job | undefined): "failed" | "succeeded" | undefined {
    const has = (...types: string[]) =>
        job?.status?.conditions?.some(({ status, type }) => types.includes(type) && status === "True");
    if (has("Failed", "FailureTarget")) {
        return "failed";
    }
    return has("Complete", "SuccessCriteriaMet") ? "succeeded" : undefined;
}
