/** The nonces of the jobs that this process has removed: their tickets ask no lead. */
export const removedJobs = new Set<string>();
