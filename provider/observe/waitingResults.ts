import type { V1Job, V1Pod } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import { readMark, type ResultsMark } from "../contract/results";
import { SCRIPT_ENVIRONMENT } from "../contract/scriptVariables";
import type { Kube } from "../kubernetes/client";
import { formatId, parseId } from "../kubernetes/jobId";
import { listLeadPods } from "./pods/lead";

/** Lines at the end of a log among which that of the results is while the pod waits. */
const LINES = 50;

/** True if the lead of this Job waits until a client has fetched the results of its command. */
function offersResults({ spec }: V1Job): boolean {
    const flux = spec?.template?.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    return flux?.env?.some(({ name }) => name === SCRIPT_ENVIRONMENT.resultsKeepFor) ?? false;
}

/**
 * The results that the lead offers now; undefined if there are none, if the command still runs, or if the log can't be
 * read. After a short command, no probe has seen yet that the pod has started.
 */
export async function waitingResults(kube: Kube, job: V1Job): Promise<ResultsMark | undefined> {
    const lead = offersResults(job) ? (await listLeadPods(kube, parseId(formatId(job)))).find(isRunning) : undefined;
    if (lead === undefined) {
        return undefined;
    }
    const { name = "", namespace = "" } = lead.metadata ?? {};
    const request = { name, namespace, container: FLUX_CONTAINER, tailLines: LINES };
    const log = await kube.core.readNamespacedPodLog(request).catch(() => "");
    const mark = log.split("\n").map(readMark).findLast(Boolean);
    return mark?.state === "waits" ? mark : undefined;
}

function isRunning({ metadata, status }: V1Pod): boolean {
    const flux = status?.containerStatuses?.find(({ name }) => name === FLUX_CONTAINER);
    return metadata?.deletionTimestamp === undefined && flux?.state?.running !== undefined;
}
