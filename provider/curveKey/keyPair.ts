import { generateKeyPairSync } from "node:crypto";

import type { CurveKeyPair } from "../contract/curveKey";
import { encodeZ85 } from "../contract/z85";

/** A new CURVE key pair: an X25519 key, as libzmq's zmq_curve_keypair makes it. */
export function makeKeyPair(): CurveKeyPair {
    const { publicKey, privateKey } = generateKeyPairSync("x25519");
    const { x } = publicKey.export({ format: "jwk" });
    const { d } = privateKey.export({ format: "jwk" });
    return { publicKey: encode(x), secretKey: encode(d) };
}

function encode(key: string | undefined): string {
    return encodeZ85(Buffer.from(key ?? "", "base64url"));
}
