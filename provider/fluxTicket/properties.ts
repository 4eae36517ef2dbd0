import type * as pulumi from "@pulumi/pulumi";

import type { ClusterName } from "../flux/job";
import type { AccessArgs, Inputs, OnlyOutputs } from "../inputs";
import type { LeadMark } from "../contract/leadMark";

export interface FluxTicketArgs extends AccessArgs {
    /** Name of the job in Flux. The first one stays, also if the FluxJob is renamed. */
    jobName: pulumi.Input<string>;
    /** The cluster that gets the job. States of earlier releases don't have it until an update. */
    cluster?: pulumi.Input<ClusterName>;
}

export type FluxTicketInputs = Inputs<FluxTicketArgs>;

export interface FluxTicketOutputs extends FluxTicketInputs {
    readonly nonce: string;
    /** A secret that only the state has. */
    readonly key: string;
    /** Tells the Kubernetes cluster that has the cluster's Job. Undefined until the Job has been seen. */
    readonly lead?: LeadMark;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<FluxTicketOutputs, FluxTicketInputs> = {
    nonce: undefined,
    key: undefined,
    lead: undefined,
    schemaVersion: undefined,
};
