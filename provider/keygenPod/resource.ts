import type * as pulumi from "@pulumi/pulumi";

import { DynamicResource } from "../host/shim";
import { OUTPUTS, type KeygenPodArgs } from "./properties";

/** A CURVE certificate that a temporary pod has made. It is kept, encrypted, in the stack's state. */
export class KeygenPod extends DynamicResource {
    /** What `flux keygen` wrote; a secret. */
    declare readonly certificate: pulumi.Output<string>;

    constructor(name: string, args: KeygenPodArgs, opts?: pulumi.CustomResourceOptions) {
        super("KeygenPod", name, { ...args, ...OUTPUTS }, { ...opts, additionalSecretOutputs: ["certificate"] });
    }
}
