/** Versions of Kueue's APIs. Kueue 0.15 to 0.19 serve both, earlier releases the second, later releases the first. */
export const VERSIONS = ["v1beta2", "v1beta1"] as const;
