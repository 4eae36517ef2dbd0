import { createHmac } from "node:crypto";

/** A CURVE key pair in Z85: 40 characters each. */
export interface CurveKeyPair {
    readonly publicKey: string;
    readonly secretKey: string;
}

/**
 * The text of the file that `flux keygen` writes. Of the metadata, Flux reads only `name`, for its log.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-keygen.html
 */
export function curveCertificate(name: string, keys: CurveKeyPair): string {
    return [
        "#  ZeroMQ CURVE **Secret** Certificate",
        "#  DO NOT DISTRIBUTE",
        "",
        "metadata",
        `    name = "${name}"`,
        "curve",
        `    public-key = "${keys.publicKey}"`,
        `    secret-key = "${keys.secretKey}"`,
        "",
    ].join("\n");
}

/** A hash with a secret key, so only a holder of that key can test guesses of the text. */
export function keyedHash(key: string, text: string): string {
    return createHmac("sha256", key).update(text).digest("hex").slice(0, 16);
}

/** A version of a Secret's texts. */
export function secretVersion(key: string, texts: Readonly<Record<string, string>>): string {
    return keyedHash(key, JSON.stringify(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))));
}
