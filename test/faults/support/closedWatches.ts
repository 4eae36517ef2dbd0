import { readFileSync } from "node:fs";

import { apiserverLog } from "../../../scripts/local/cluster/servers/apiserver";

/**
 * The number of watches of a Job's pods that the API server has closed itself. It buffers some ten events for each
 * watch, more after many events, and closes a watch whose buffer is full. On a busy CPU it can't write events as fast
 * as they come, however fast the client reads. Only the API server's log shows this cause, no response does.
 */
export function closedWatches(namespace: string, job: string): number {
    const closed = "Forcing pods watcher close due to unresponsiveness: ";
    const of = `${closed}key: "/pods/${namespace}/", labels: "batch.kubernetes.io/job-name=${job}",`;
    return readFileSync(apiserverLog, "utf8").split(of).length - 1;
}
