import { jobResultsDir } from "../contract/paths";
import type { ResultsMark } from "../contract/results";
import type { Watcher } from "../copy/receive";
import type { JobKey } from "../flux/job";
import type { Kube } from "../kubernetes/client";
import type { KnownJob } from "../observe/job";
import { ranksOf } from "../observe/ranks";
import { fetchResults, podsAmong } from "./fetch";
import type { Listed } from "./list";

/** Results that the ranks of a FluxJob offer. */
export interface JobFetching {
    readonly cluster: KnownJob;
    readonly key: JobKey;
    readonly ofAllRanks: boolean;
    readonly mark: ResultsMark;
    /** Folder of this machine. */
    readonly to: string;
    readonly watch: Watcher;
    readonly signal: AbortSignal;
}

/** Fetches the results of a FluxJob from the pods of its ranks, as those of a command. */
export async function fetchJob(kube: Kube, { cluster, key, ...fetching }: JobFetching): Promise<readonly Listed[]> {
    const pods = (await ranksOf(kube, cluster)).filter(({ terminated }) => terminated === undefined);
    const podOf = podsAmong(kube, cluster.namespace, pods);
    return fetchResults({ ...fetching, podOf, offer: `${jobResultsDir(key)}/results/offer` });
}
