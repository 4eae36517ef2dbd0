/** The headings of the commands in help. */
export const CLUSTERS = "Clusters:";
export const JOBS = "Jobs:";
export const OTHERS = "Others:";
