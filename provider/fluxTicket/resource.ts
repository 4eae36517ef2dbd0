import type * as pulumi from "@pulumi/pulumi";

import { DynamicResource } from "../host/shim";
import { type FluxTicketArgs, OUTPUTS } from "./properties";

/**
 * The mark of one FluxJob's job, and its name in Flux. It is in the state before the job is submitted, and so survives
 * every interruption.
 */
export class FluxTicket extends DynamicResource {
    declare readonly jobName: pulumi.Output<string>;
    declare readonly nonce: pulumi.Output<string>;
    declare readonly key: pulumi.Output<string>;

    constructor(name: string, args: FluxTicketArgs, opts?: pulumi.CustomResourceOptions) {
        super("FluxTicket", name, { ...args, ...OUTPUTS }, { ...opts, additionalSecretOutputs: ["key"] });
    }
}
