/** Seconds. */
export interface TimeoutsSpec {
    readonly ready: number;
    readonly completed?: number;
    readonly unschedulable: number;
    readonly imagePull: number;
    readonly podCreation: number;
    readonly podStart: number;
    readonly delete: number;
}

/**
 * Default of `podStart` in seconds. Kubernetes takes a volume from a lost node after 6 minutes, and tries a failed mount
 * again within 2 minutes.
 */
export const POD_START = 600;
