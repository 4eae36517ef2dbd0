import { readFileSync } from "node:fs";

import { apiserverLog } from "../../../local/cluster/servers/apiserver";

/**
 * How many watches of a Job's pods the API server has ended itself. It keeps some ten events for each watch, more where it
 * has seen many, and ends a watch that has no room for the next one: where the CPU is short, it can't write them as fast as
 * they come, however fast they are read. Nothing in a response tells such an end from another one; the API server's log does.
 */
export function closedWatches(namespace: string, job: string): number {
    const closed = "Forcing pods watcher close due to unresponsiveness: ";
    const of = `${closed}key: "/pods/${namespace}/", labels: "batch.kubernetes.io/job-name=${job}",`;
    return readFileSync(apiserverLog, "utf8").split(of).length - 1;
}
