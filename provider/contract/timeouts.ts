/** Seconds. */
export interface TimeoutsSpec {
    readonly ready: number;
    readonly completed?: number;
    readonly unschedulable: number;
    readonly imagePull: number;
    readonly podCreation: number;
    readonly delete: number;
}
