import { lineNotice } from "../rules/command";
import { countOf, ownTasksNotice } from "../runOptions/ownTasks";
import type { FluxJobSpec } from "./spec";

/** What the preview says of a job that works badly on any cluster. */
export function noticesOfJob(job: FluxJobSpec): string[] {
    const around = { hasRendezvous: job.rendezvous !== undefined, count: countOf(job, 1) };
    const reasons = [lineNotice(job.command), ownTasksNotice(job.command, "job", around)];
    return reasons.flatMap((reason) => (reason === undefined ? [] : [`command ${reason}`]));
}
