import type * as pulumi from "@pulumi/pulumi";

import type { OnlyOutputs } from "../inputs";

/** Arguments of a CurveKey. */
export interface CurveKeyArgs {
    /** A value; when it changes, a new key is made. */
    rotate?: pulumi.Input<string>;
}

export interface CurveKeyInputs {
    readonly rotate?: string;
}

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
