import { createHmac } from "node:crypto";

/** A hash with a secret key, so only a holder of that key can test guesses of the text. */
export function keyedHash(key: string, text: string): string {
    return createHmac("sha256", key).update(text).digest("hex").slice(0, 16);
}

/** A version of a Secret's texts. */
export function secretVersion(key: string, texts: Readonly<Record<string, string>>): string {
    return keyedHash(key, JSON.stringify(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))));
}
