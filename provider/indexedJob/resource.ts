import type * as pulumi from "@pulumi/pulumi";

import type { KubernetesObject } from "../contract/object";
import type { Inputs } from "../inputs";
import type { LeadService } from "../kube/leadService";
import { DynamicResource, urnOf } from "../shim";
import type { Admitted } from "./admitted";

/** Arguments of an IndexedJob. */
export interface IndexedJobArgs {
    /** The Job as Kubernetes knows it, without what only the API server knows. */
    manifest: pulumi.Input<KubernetesObject>;
    /** The ConfigMap that its pods mount: it is made before the Job, and removed after it. */
    files?: pulumi.Input<KubernetesObject>;
    /** The Secret that its pods mount, likewise. */
    secret?: pulumi.Input<KubernetesObject | undefined>;
    lead: pulumi.Input<{ [K in keyof LeadService]: pulumi.Input<string> }>;
    /** Tells the Jobs of this stack from those of others; a new one means a new Job. */
    nonce: pulumi.Input<string>;
    /** Changes when the content of the Secret does. */
    secretVersion?: pulumi.Input<string>;
    /** Up to how many ranks the manifest's pods are made for. */
    maxSize?: pulumi.Input<number>;
    /** Another client, such as an autoscaler, decides on the size: no update changes it. */
    autoscaled?: pulumi.Input<boolean | undefined>;
    /** Values; when one changes, the Job is run again. */
    triggers?: pulumi.Input<any[]>;
    /** Run a failed Job again on the next update. */
    rerunFailed: pulumi.Input<boolean>;
    /** `allow` or `refuse` to end a running command. */
    interrupt: pulumi.Input<string>;
    /** Seconds until a deleted Job's pods are gone. */
    deleteTimeout: pulumi.Input<number>;
    kubeconfig?: pulumi.Input<string>;
    context?: pulumi.Input<string>;
}

export interface IndexedJobInputs extends Omit<Inputs<IndexedJobArgs>, "secret"> {
    /** Null where there is none: that is how a secret Output of undefined arrives. */
    readonly secret?: KubernetesObject | null;
    /** Why the Job is run again; `check` adds it when the last one failed. */
    readonly rerun?: string;
}

export interface IndexedJobOutputs extends IndexedJobInputs {
    /** Version of this layout of the outputs; 1 has neither `files` nor `secret`. */
    readonly schemaVersion: number;
    /** True when the Job was seen to have ended; a Job that then vanishes was removed by its TTL. */
    readonly finished: boolean;
    /** How the Job failed, when it was seen to have; its TTL may have removed it since. */
    readonly failure?: string;
    /** What the API server or an admission webhook made of the manifest, where it is otherwise than asked. */
    readonly admitted?: readonly Admitted[];
}

export const INPUT_NAMES: readonly (keyof IndexedJobInputs)[] = [
    "manifest",
    "files",
    "secret",
    "lead",
    "nonce",
    "secretVersion",
    "maxSize",
    "autoscaled",
    "triggers",
    "rerunFailed",
    "interrupt",
    "deleteTimeout",
    "rerun",
    "resourceUrn",
    "kubeconfig",
    "context",
];

/**
 * A Kubernetes Indexed Job that can be resized and suspended in place and recognises what an interrupted create left.
 * It does not wait for its pods: JobStatus does. Its id is `namespace/name/uid`.
 */
export class IndexedJob extends DynamicResource {
    declare readonly manifest: pulumi.Output<KubernetesObject>;

    constructor(name: string, args: IndexedJobArgs, opts?: pulumi.CustomResourceOptions) {
        const inputs = { ...args, rerun: undefined, resourceUrn: urnOf("IndexedJob", name, opts) };
        super(
            "IndexedJob",
            name,
            { ...inputs, schemaVersion: undefined, finished: undefined, failure: undefined, admitted: undefined },
            {
                ...opts,
                additionalSecretOutputs: ["secret"],
                // `diff` says so too, but Pulumi doesn't ask it where the user replaces the Job by name (--replace, taint).
                deleteBeforeReplace: true,
            },
        );
    }
}
