import { hkdfSync } from "node:crypto";

/**
 * A key of that many bytes as a text, derived by HKDF from the key that Pulumi makes: so it is made once, is in the state
 * as that one is and changes when that one does; none tells anything about another. Under the mocks of a user's unit tests
 * there is no key, and nothing to keep secret.
 */
export function deriveKey(curveSecret: string | undefined, purpose: string, rotate: string, bytes: number): string {
    return Buffer.from(hkdfSync("sha256", curveSecret ?? "", "", `flux-minicluster ${purpose} ${rotate}`, bytes)).toString("base64url");
}
