import type * as pulumi from "@pulumi/pulumi";

import type { Inputs, OnlyOutputs } from "../inputs";

export interface FluxTicketArgs {
    /** Name of the job in Flux. The first one stays, also if the FluxJob is renamed. */
    jobName: pulumi.Input<string>;
}

export type FluxTicketInputs = Inputs<FluxTicketArgs>;

export interface FluxTicketOutputs extends FluxTicketInputs {
    readonly nonce: string;
    /** A secret that only the state has. */
    readonly key: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<FluxTicketOutputs, FluxTicketInputs> = {
    nonce: undefined,
    key: undefined,
    schemaVersion: undefined,
};
