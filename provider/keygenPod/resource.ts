import type * as pulumi from "@pulumi/pulumi";

import type { KubernetesObject } from "../contract/object";
import type { TimeoutsSpec } from "../contract/timeouts";
import type { Inputs } from "../inputs";
import type { LeadService } from "../kube/leadService";
import { DynamicResource, urnOf } from "../shim";

/** Arguments of a KeygenPod. */
export interface KeygenPodArgs {
    /** The pod as Kubernetes knows it, without what only the API server knows. */
    manifest: pulumi.Input<KubernetesObject>;
    lead: pulumi.Input<{ [K in keyof LeadService]: pulumi.Input<string> }>;
    /** Tells the pods of this stack from those of others. */
    nonce: pulumi.Input<string>;
    /** A value; when it changes, a new key is made. */
    rotate?: pulumi.Input<string>;
    /** Seconds. */
    timeouts: pulumi.Input<TimeoutsSpec>;
    kubeconfig?: pulumi.Input<string>;
    context?: pulumi.Input<string>;
}

export type KeygenPodInputs = Inputs<KeygenPodArgs>;

export interface KeygenPodOutputs extends KeygenPodInputs {
    readonly certificate: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const INPUT_NAMES: readonly (keyof KeygenPodInputs)[] = [
    "manifest",
    "lead",
    "nonce",
    "rotate",
    "timeouts",
    "resourceUrn",
    "kubeconfig",
    "context",
];

/** A CURVE certificate that a pod has made, which is gone again. Kept, encrypted, in the stack's state. */
export class KeygenPod extends DynamicResource {
    /** What `flux keygen` wrote; a secret. */
    declare readonly certificate: pulumi.Output<string>;

    constructor(name: string, args: KeygenPodArgs, opts?: pulumi.CustomResourceOptions) {
        const inputs = { ...args, resourceUrn: urnOf("KeygenPod", name, opts) };
        const outputs = { certificate: undefined, schemaVersion: undefined };
        super("KeygenPod", name, { ...inputs, ...outputs }, { ...opts, additionalSecretOutputs: ["certificate"] });
    }
}
