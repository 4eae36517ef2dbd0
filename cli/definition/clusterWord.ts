import type { CommandDefinition } from "./command";

/** Names of clusters, as the rules of MiniCluster have them. */
const CLUSTER = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** The id of a job in the six words of `flux job id --to=words`. */
export const JOB_IN_WORDS = /^[a-z]+-[a-z]+-[a-z]+--[a-z]+-[a-z]+-[a-z]+$/;

/**
 * The id of a job in plain form that has no capital letter, as 2 of 100 have. Flux' first id has 5 characters behind the `f`; with a
 * digit, it is rather an id than a name.
 */
const JOB_WITHOUT_CAPITAL = /^f(?=.*\d)[1-9a-km-z]{5,}$/;

/** True if a word may be the name of a cluster. Ranks, ports and ids of jobs can't be one. */
function isClusterWord(word: string): boolean {
    return CLUSTER.test(word) && !JOB_IN_WORDS.test(word);
}

/** True if the first word of a command is the name of a cluster. For a command that takes jobs, an id of a job is none. */
export function namesCluster({ takesCluster, words }: CommandDefinition, first: string | undefined): boolean {
    const isJob = words?.completes === "job" && first !== undefined && JOB_WITHOUT_CAPITAL.test(first);
    return takesCluster === true && first !== undefined && isClusterWord(first) && !isJob;
}
