import { hkdfSync, randomBytes } from "node:crypto";

/**
 * A key of that many bytes as a text, derived by HKDF from the key that Pulumi makes: so it is made once, is in the state
 * as that one is and changes when that one does; none tells anything about another.
 */
export function deriveKey(curveSecret: string | undefined, purpose: string, rotate: string, bytes: number): string {
    return Buffer.from(
        hkdfSync("sha256", orRandom(curveSecret), "", `flux-minicluster ${purpose} ${rotate}`, bytes),
    ).toString("base64url");
}

/** Under the mocks of a user's unit tests no key is made; what is derived from none must be nobody's guess all the same. */
export function orRandom(curveSecret: string | undefined): string {
    return curveSecret ?? randomBytes(32).toString("hex");
}
