import type * as pulumi from "@pulumi/pulumi";

import type { Inputs, OnlyOutputs } from "../inputs";

export interface FluxTicketArgs {
    /** Name of the job in Flux. The first one stays, also if the FluxJob is renamed. */
    jobName: pulumi.Input<string>;
}

/** States of version 0.2 and earlier have no input. */
export type FluxTicketInputs = Partial<Inputs<FluxTicketArgs>>;

export interface FluxTicketOutputs extends FluxTicketInputs {
    readonly nonce: string;
    /** A secret that only the state has. Undefined in states of version 0.2 and earlier. */
    readonly key?: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<FluxTicketOutputs, FluxTicketInputs> = {
    nonce: undefined,
    key: undefined,
    schemaVersion: undefined,
};
