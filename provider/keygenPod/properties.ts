import type * as pulumi from "@pulumi/pulumi";

import type { KubernetesObject } from "../contract/object";
import type { TimeoutsSpec } from "../contract/timeoutsSpec";
import type { AccessArgs, Inputs, OnlyOutputs } from "../host/inputs";
import type { LeadService } from "../contract/lead";

/** Arguments of a KeygenPod. */
export interface KeygenPodArgs extends AccessArgs {
    /** The pod's manifest, without the fields that only the API server sets. */
    manifest: pulumi.Input<KubernetesObject>;
    lead: pulumi.Input<{ [K in keyof LeadService]: pulumi.Input<string> }>;
    /** Tells the pods of this stack from those of other stacks. */
    nonce: pulumi.Input<string>;
    /** A value; when it changes, a new key is made. */
    rotate?: pulumi.Input<string | undefined>;
    /** Seconds. */
    timeouts: pulumi.Input<TimeoutsSpec>;
}

export type KeygenPodInputs = Inputs<KeygenPodArgs>;

export interface KeygenPodOutputs extends KeygenPodInputs {
    readonly certificate: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<KeygenPodOutputs, KeygenPodInputs> = {
    certificate: undefined,
    schemaVersion: undefined,
};
