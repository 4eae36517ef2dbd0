import type * as pulumi from "@pulumi/pulumi";

import type { Code } from "../contract/code/code";
import type { Json, KubernetesObject } from "../contract/object";
import type { SizedBy } from "../contract/sizedBy";
import type { AccessArgs, Inputs, OnlyOutputs } from "../host/inputs";
import type { LeadService } from "../contract/lead";
import type { Admitted } from "./admitted";

/** Arguments of an IndexedJob. */
export interface IndexedJobArgs extends AccessArgs {
    /** The Job's manifest, without the fields that only the API server sets. */
    manifest: pulumi.Input<KubernetesObject>;
    /** The ConfigMap that its pods mount. It is created before the Job and removed after it. */
    files?: pulumi.Input<KubernetesObject>;
    /** The code that its pods mount in parts. These ConfigMaps are created and removed as `files` is. */
    code?: pulumi.Input<Code | undefined>;
    /** The Secret that its pods mount. It is created and removed in the same order. */
    secret?: pulumi.Input<KubernetesObject | undefined>;
    lead: pulumi.Input<{ [K in keyof LeadService]: pulumi.Input<string> }>;
    /** Tells the Jobs of this stack from those of other stacks. If it changes, the Job is replaced. */
    nonce: pulumi.Input<string>;
    /** Changes with the content of the Secret. */
    secretVersion?: pulumi.Input<string>;
    /** A secret key, for hashes by which nobody else can test guesses of a secret content. */
    markKey?: pulumi.Input<string | undefined>;
    /** Largest number of ranks for which the manifest's pods are configured. */
    maxSize?: pulumi.Input<number>;
    /** Given if something else than the manifest decides the size. Then no update changes it. */
    sizedBy?: SizedBy;
    /** Values; when one changes, the Job is run again. */
    triggers?: pulumi.Input<Json[]>;
    /** Run a failed Job again on the next update. */
    rerunFailed: pulumi.Input<boolean>;
    /** `allow` or `refuse` to end a running command. */
    interrupt: pulumi.Input<string>;
    /** `warn`, `refuse` or `off`: what an update does if its pods don't fit into the cluster. */
    fit?: pulumi.Input<string>;
    /** Kinds of objects on which the manifest depends and which the program makes: a preview may not find them yet. */
    awaited?: pulumi.Input<string[] | undefined>;
    /** Number of ranks without which the cluster doesn't start. */
    minSize?: pulumi.Input<number>;
    /** Timeout in seconds for the removal of a deleted Job and its pods. */
    deleteTimeout: pulumi.Input<number>;
}

export interface IndexedJobInputs extends Omit<Inputs<IndexedJobArgs>, "secret"> {
    /** Null if there is none, because a secret Output of undefined arrives as null. */
    readonly secret?: KubernetesObject | null;
    /** Why the Job is run again; `check` adds it if the last run failed. */
    readonly rerun?: string;
    /** Since when the Job slept that this update wakes; `check` adds it. */
    readonly wake?: string;
}

export interface IndexedJobOutputs extends IndexedJobInputs {
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
    /** True if the Job was seen to have ended. If the Job doesn't exist later, its TTL has removed it. */
    readonly finished: boolean;
    /** How the Job failed, if that was seen; its TTL may have removed it since. */
    readonly failure?: string;
    /** When the Job was created. States of earlier releases don't have it until a refresh. */
    readonly createdAt?: string;
    /** Tells the Kubernetes cluster of the Job. States of earlier releases don't have it until a refresh. */
    readonly clusterMark?: string;
    /** Values of the manifest that the API server or an admission webhook changed. */
    readonly admitted?: readonly Admitted[];
}

export const OUTPUTS: OnlyOutputs<IndexedJobOutputs, IndexedJobInputs> = {
    schemaVersion: undefined,
    finished: undefined,
    failure: undefined,
    createdAt: undefined,
    clusterMark: undefined,
    admitted: undefined,
};
