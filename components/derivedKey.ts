import { hkdfSync } from "node:crypto";

/**
 * A key of that many bytes as a text, derived by HKDF from the key that Pulumi makes: so it is made once, is in the state
 * as that one is and changes when that one does; none tells anything about another.
 */
export function deriveKey(curveSecret: string, purpose: string, rotate: string, bytes: number): string {
    return Buffer.from(hkdfSync("sha256", curveSecret, "", `flux-minicluster ${purpose} ${rotate}`, bytes)).toString("base64url");
}
