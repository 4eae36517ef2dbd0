import { hkdfSync } from "node:crypto";

/**
 * A key of that many bytes as a text, derived from the CURVE key by HKDF: so it is made once, lives where that one lives
 * and changes when that one does; none tells anything about another.
 */
export function deriveKey(curveSecret: string, purpose: string, rotate: string, bytes: number): string {
    return Buffer.from(hkdfSync("sha256", curveSecret, "", `flux-minicluster ${purpose} ${rotate}`, bytes)).toString("base64url");
}
