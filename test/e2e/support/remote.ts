import * as pulumi from "@pulumi/pulumi";
import type { FluxJobArgs, MiniClusterArgs } from "flux-minicluster";

import { outputsOf } from "../../../plugin/schema";

/** The tests' programs get components that the provider plugin constructs. */
export const ON_PLUGIN = process.env.PLUGIN === "on";

/** A component that the plugin constructs, as the SDK of another language asks for it. */
abstract class Remote extends pulumi.ComponentResource {
    protected constructor(type: string, name: string, args: object, opts?: pulumi.ComponentResourceOptions) {
        const outputs = Object.fromEntries(outputsOf(type).map((output) => [output, undefined]));
        super(type, name, { ...outputs, ...args }, opts, true);
    }
}

export class MiniCluster extends Remote {
    constructor(name: string, args: MiniClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        super("flux-minicluster:index:MiniCluster", name, args, opts);
    }
}

export class FluxJob extends Remote {
    constructor(name: string, args: FluxJobArgs, opts?: pulumi.ComponentResourceOptions) {
        super("flux-minicluster:index:FluxJob", name, { ...args, cluster: referenceOf(args.cluster) }, opts);
    }
}

/** A program in another language gives the outputs of a cluster, not the resource. */
function referenceOf(cluster: FluxJobArgs["cluster"]): FluxJobArgs["cluster"] {
    if (!pulumi.Resource.isInstance(cluster)) {
        return cluster;
    }
    const { name, namespace, uid } = cluster as unknown as Record<"name" | "namespace" | "uid", pulumi.Output<string>>;
    return { name, namespace, uid };
}
