/** Keys and indices from the manifest down to a value. */
export type Path = readonly (string | number)[];

/** A value of the manifest that the API server, or an admission webhook, has changed when the Job was created. */
export interface Admitted {
    readonly path: Path;
    readonly asked?: unknown;
    /** Undefined where it was removed, or isn't known to the Kubernetes client. */
    readonly answered?: unknown;
}
