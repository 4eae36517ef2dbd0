import type * as pulumi from "@pulumi/pulumi";

import type { PlaceMarks } from "../contract/lead";
import type { AccessArgs, Inputs, OnlyOutputs } from "../host/inputs";

export interface FluxTicketArgs extends AccessArgs {
    /** Name of the job in Flux. The first one stays, also if the FluxJob is renamed. */
    jobName: pulumi.Input<string>;
    /** The cluster that gets the job. It has no UID, because a ticket outlives the Jobs of its cluster. */
    cluster?: pulumi.Input<{ name: string; namespace: string }>;
}

export type FluxTicketInputs = Inputs<FluxTicketArgs>;

export interface FluxTicketOutputs extends FluxTicketInputs, PlaceMarks {
    readonly nonce: string;
    /** A secret that only the state has. */
    readonly key: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<FluxTicketOutputs, FluxTicketInputs> = {
    nonce: undefined,
    key: undefined,
    lead: undefined,
    clusterMark: undefined,
    schemaVersion: undefined,
};
