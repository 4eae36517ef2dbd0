/** The folder of the archives on the machine, which all of its nodes have. */
export const ARCHIVES = "/tmp/flux-minicluster-archives";

/** Seconds after the claim of an archive in which the former lead notices it and stops its queues: it looks every 5 s. */
export const NOTICED = 6;
