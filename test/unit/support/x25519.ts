import { createPrivateKey, createPublicKey } from "node:crypto";

/** The fixed head of an X25519 private key in PKCS #8, before the 32 bytes of the key. */
const PKCS8 = Buffer.from("302e020100300506032b656e04220420", "hex");

/** The public key of a secret key, by OpenSSL. */
export function publicKeyOf(secret: Buffer): Buffer {
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: "der", type: "pkcs8" });
    return Buffer.from(createPublicKey(key).export({ format: "jwk" }).x ?? "", "base64url");
}
