import type * as pulumi from "@pulumi/pulumi";

import { DynamicResource } from "../shim";

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

/** A CURVE key pair, made once and kept, encrypted, in the stack's state. */
export class CurveKey extends DynamicResource {
    /** 40 characters of Z85. */
    declare readonly publicKey: pulumi.Output<string>;
    /** 40 characters of Z85; a secret. */
    declare readonly secretKey: pulumi.Output<string>;
    /** Tells what is made with this key from what another stack made; no secret. */
    declare readonly nonce: pulumi.Output<string>;

    constructor(name: string, args: CurveKeyArgs = {}, opts?: pulumi.CustomResourceOptions) {
        super(
            "CurveKey",
            name,
            {
                rotate: args.rotate,
                publicKey: undefined,
                secretKey: undefined,
                nonce: undefined,
                schemaVersion: undefined,
            },
            { ...opts, additionalSecretOutputs: ["secretKey"] },
        );
    }
}
