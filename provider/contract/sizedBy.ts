/**
 * What decides the number of ranks if the arguments don't: an `autoscaler`, which changes the Job, or the `cluster`, which
 * sizes itself by its queue and sleeps without jobs.
 */
export type SizedBy = "autoscaler" | "cluster";
