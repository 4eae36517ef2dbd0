import type * as pulumi from "@pulumi/pulumi";

import { DynamicResource } from "../shim";
import { OUTPUTS } from "./properties";

/**
 * The mark of one FluxJob's job. It is in the state before the job is submitted, and so survives every interruption.
 */
export class FluxTicket extends DynamicResource {
    declare readonly nonce: pulumi.Output<string>;

    constructor(name: string, opts?: pulumi.CustomResourceOptions) {
        super("FluxTicket", name, { ...OUTPUTS }, opts);
    }
}
