import type * as pulumi from "@pulumi/pulumi";

import type { AccessArgs, Inputs, OnlyOutputs } from "../host/inputs";

/** Arguments of a CurveKey. */
export interface CurveKeyArgs extends AccessArgs {
    /** A value; when it changes, a new key is made. */
    rotate?: pulumi.Input<string | undefined>;
    /** Kubernetes name of the cluster. */
    cluster?: pulumi.Input<string>;
    /** Its namespace. Undefined for that of the kubeconfig. */
    namespace?: pulumi.Input<string | undefined>;
}

export type CurveKeyInputs = Inputs<CurveKeyArgs>;

export interface CurveKeyOutputs extends CurveKeyInputs {
    readonly publicKey: string;
    readonly secretKey: string;
    readonly nonce: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<CurveKeyOutputs, CurveKeyInputs> = {
    publicKey: undefined,
    secretKey: undefined,
    nonce: undefined,
    schemaVersion: undefined,
};
