import type * as pulumi from "@pulumi/pulumi";

import type { KubernetesObject } from "../contract/object";
import { DynamicResource } from "../host/shim";
import { OUTPUTS, type IndexedJobArgs } from "./properties";

/**
 * A Kubernetes Indexed Job that can be resized and suspended in place, and that adopts what an interrupted create left.
 * It doesn't wait for its pods: JobStatus does. Its id is `namespace/name/uid`.
 */
export class IndexedJob extends DynamicResource {
    declare readonly manifest: pulumi.Output<KubernetesObject>;
    /** Since when the Job slept that an update has woken. */
    declare readonly wake: pulumi.Output<string | undefined>;

    constructor(name: string, args: IndexedJobArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            "IndexedJob",
            name,
            { ...args, wake: undefined, ...OUTPUTS },
            {
                ...opts,
                additionalSecretOutputs: ["markKey", "secret"],
                // `diff` returns this too, but Pulumi doesn't call it if the user replaces the Job by --replace or taint.
                deleteBeforeReplace: true,
            },
        );
    }
}
