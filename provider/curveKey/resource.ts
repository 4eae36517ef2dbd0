import type * as pulumi from "@pulumi/pulumi";

import { DynamicResource } from "../host/shim";
import { OUTPUTS, type CurveKeyArgs } from "./properties";

/** A CURVE key pair, made once and kept, encrypted, in the stack's state. */
export class CurveKey extends DynamicResource {
    /** 40 characters of Z85. */
    declare readonly publicKey: pulumi.Output<string>;
    /** 40 characters of Z85; a secret. */
    declare readonly secretKey: pulumi.Output<string>;
    /** Marks the objects that are created with this key, to tell them from another stack's; not a secret. */
    declare readonly nonce: pulumi.Output<string>;

    constructor(name: string, args: CurveKeyArgs = {}, opts?: pulumi.CustomResourceOptions) {
        super("CurveKey", name, { ...args, ...OUTPUTS }, { ...opts, additionalSecretOutputs: ["secretKey"] });
    }
}
