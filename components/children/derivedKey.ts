import { hkdfSync, randomBytes } from "node:crypto";

/**
 * A key of `bytes` bytes as base64url text, derived by HKDF from the secret CURVE key. Like that key, it is made once,
 * is in the state, and changes when that key changes. No derived key reveals anything about another.
 */
export function deriveKey(curveSecret: string | undefined, purpose: string, rotate: string, bytes: number): string {
    return Buffer.from(
        hkdfSync("sha256", orRandom(curveSecret), "", `flux-minicluster ${purpose} ${rotate}`, bytes),
    ).toString("base64url");
}

/**
 * The key, or a random text. The mocks of a user's unit tests make no key, but derived keys must not be guessable even
 * there.
 */
export function orRandom(curveSecret: string | undefined): string {
    return curveSecret ?? randomBytes(32).toString("hex");
}
