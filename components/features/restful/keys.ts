/** The secrets of the RESTful server, each with its key in the cluster's Secret. */
export const RESTFUL_KEYS = {
    /** Password of the user. */
    token: "restful.token",
    /** Shared with clients that use flux-restful's own handshake. */
    secretKey: "restful.shared-key",
    /** Signs access tokens; only the server knows it. */
    signingKey: "restful.signing-key",
} as const;

export type RestfulKeys = Readonly<Record<keyof typeof RESTFUL_KEYS, string>>;
