/** Names of clusters, as the rules of MiniCluster have them. */
const CLUSTER = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** The id of a job in the six words of `flux job id --to=words`. */
export const JOB_IN_WORDS = /^[a-z]+-[a-z]+-[a-z]+--[a-z]+-[a-z]+-[a-z]+$/;

/** True if a word may be the name of a cluster. Ranks, ports and nearly all ids of jobs can't be one. */
export function isClusterWord(word: string): boolean {
    return CLUSTER.test(word) && !JOB_IN_WORDS.test(word);
}
