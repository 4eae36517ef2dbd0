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
