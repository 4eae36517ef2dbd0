import * as pulumi from "@pulumi/pulumi";

import type { CurveKey } from "../../../provider/curveKey/resource";
import { deriveKey } from "../../children/derivedKey";
import type { LaterSpec } from "../../children/laterSpec";

/** The secrets of the RESTful server, each with its key in the cluster's Secret. */
export const RESTFUL_KEYS = {
    /** Password of the user. */
    token: "restful.token",
    /** Shared with clients that use flux-restful's own handshake. */
    secretKey: "restful.shared-key",
    /** Signs access tokens; only the server knows it. */
    signingKey: "restful.signing-key",
} as const;

export type RestfulKeys = Readonly<Record<keyof typeof RESTFUL_KEYS, string>>;

/** Derives each secret from the CURVE key. */
export function deriveKeys(curveSecret: string | undefined, rotate = ""): RestfulKeys {
    const derive = (name: string) => deriveKey(curveSecret, name, rotate, 32);
    return {
        token: derive(RESTFUL_KEYS.token),
        secretKey: derive(RESTFUL_KEYS.secretKey),
        signingKey: derive(RESTFUL_KEYS.signingKey),
    };
}

/** The secrets of a cluster's RESTful server; undefined without a server that requires authentication. */
export function restfulKeys(spec: LaterSpec, key: CurveKey): pulumi.Output<RestfulKeys | undefined> {
    const rotation = spec.apply(({ restful }) => (restful?.authentication ? { rotate: restful.rotate } : undefined));
    return pulumi
        .all([rotation, key.secretKey])
        .apply(([of, secret]) => (of === undefined ? undefined : deriveKeys(secret, of.rotate)));
}
