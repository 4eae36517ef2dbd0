import type * as pulumi from "@pulumi/pulumi";

import { DynamicResource } from "../shim";

export interface FluxTicketOutputs {
    readonly nonce: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

/** Marks what one FluxJob submits. It is in the state before a job is submitted, and so outlives every interruption. */
export class FluxTicket extends DynamicResource {
    declare readonly nonce: pulumi.Output<string>;

    constructor(name: string, opts?: pulumi.CustomResourceOptions) {
        super("FluxTicket", name, { nonce: undefined, schemaVersion: undefined }, opts);
    }
}
