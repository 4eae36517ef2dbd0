import * as pulumi from "@pulumi/pulumi";

import { ANNOTATIONS } from "../contract/labels";
import { inThisOperation, valueOf } from "../host/shim";
import type { Created } from "./properties";

/** The access of a MiniCluster. */
interface Access {
    readonly kubeconfig?: pulumi.Input<string>;
    readonly context?: pulumi.Input<string>;
}

let hooks = 0;

/**
 * The hooks of objects that the Kubernetes provider creates. Pulumi calls them before it creates an object, which then
 * isn't in the state. If an interrupted creation has left the object, it is removed first. Pulumi calls no such hook at
 * preview, and a unit test with mocks has no engine that would call one.
 */
export function withoutRemains(access: Access, cluster: pulumi.Output<string>): pulumi.ResourceHookBinding | undefined {
    if (pulumi.runtime.getEngine() === undefined) {
        return undefined;
    }
    const known = pulumi.all([access.kubeconfig, access.context, cluster]);
    const clean = async ({ newInputs, type }: pulumi.ResourceHookArgs) => {
        if (type.startsWith("kubernetes:")) {
            const values = await valueOf(known);
            if (values !== undefined) {
                const [kubeconfig, context, job] = values;
                await remove(newInputs as Created, { kubeconfig, context }, job);
            }
        }
    };
    // An engine accepts a name once, and several processes of the plugin may belong to it.
    return {
        beforeCreate: [new pulumi.ResourceHook(`flux-minicluster ${process.pid} ${hooks++}`, inThisOperation(clean))],
    };
}

async function remove(
    { apiVersion, kind, metadata }: Created,
    access: { readonly kubeconfig?: string; readonly context?: string },
    job: string,
): Promise<void> {
    const { annotations, name, namespace } = metadata;
    const object = { apiVersion, kind, name, namespace };
    // Loads the Kubernetes client, which no program needs otherwise.
    const { removeRemains } = require("./removal") as typeof import("./removal");
    // Without an answer of the cluster, the creation itself tells what is wrong.
    await removeRemains({
        ...access,
        object,
        nonce: annotations?.[ANNOTATIONS.nonce],
        job,
    }).catch(() => undefined);
}
