import type { V1Job } from "@kubernetes/client-node";

import type { KeptResults, WantedResults } from "../../provider/contract/results";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { formatId } from "../../provider/kubernetes/jobId";
import { resultsOf } from "../../provider/jobStatus/results";
import { parameterOf } from "../../provider/record/ran";
import { newestLead, type Source } from "./source";

/** Files that a report names. */
const MOST_NAMED = 20;

/** The results of the command. Only the update that has fetched them knows that, and only the lead what has become of others. */
export function resultsIn(source: Source): KeptResults | undefined {
    const { results } = source.recorded;
    const found = results?.at ? results : (liveResults(source) ?? results);
    return found ? { ...found, files: found.files.slice(0, MOST_NAMED) } : undefined;
}

function liveResults({ job, pods, told }: Source): KeptResults | undefined {
    const keeps = job && wantedBy(job);
    if (keeps === undefined) {
        return undefined;
    }
    return resultsOf({ keeps, job: formatId(job!) }, { lead: newestLead(pods), told, kept: undefined }) ?? undefined;
}

function wantedBy(job: V1Job): WantedResults | undefined {
    const place = parameterOf(job, "resultsPlace");
    return parameterOf(job, "results") === undefined
        ? undefined
        : {
              at: place === undefined ? `results/${job.metadata?.name}` : inVolume(job, place),
              isFetched: place === undefined,
              limit: 0,
              onFailure: parameterOf(job, "resultsOnFailure") !== undefined,
              ofAllRanks: parameterOf(job, "resultsRanks") !== undefined,
          };
}

/** `VOLUME:FOLDER` of a path in the pods. */
function inVolume({ spec }: V1Job, path: string): string {
    const flux = spec?.template?.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    const mount = flux?.volumeMounts?.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
    return mount === undefined ? path : `${mount.name}:${path.slice(mount.mountPath.length + 1)}`;
}
