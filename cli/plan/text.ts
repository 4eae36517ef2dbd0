import { foreignLine } from "../../provider/contract/foreignText";
import { describeSeconds } from "../../provider/contract/quantity";
import { amountInWords } from "../../provider/contract/results";
import { describeRunning, type LiveJob, shownName } from "../../provider/flux/liveJobs";
import type { ClusterPlan, Ends } from "../../provider/plan/clusterPlan";
import type { JobPlan } from "../../provider/plan/jobPlan";
import { type Plan, rounded } from "../../provider/plan/limits";

/** Number of jobs of each kind that the text names. JSON has all. */
const MOST_NAMED = 20;

/** The plan for a reader: a paragraph for each cluster, a line for each FluxJob, and the sum. */
export function describePlan({ clusters, errors, fluxJobs, kills, nodeHours }: Plan): string {
    const nothing = clusters.length + fluxJobs.length === 0 ? ["No MiniCluster and no FluxJob changes."] : [];
    return [
        ...errors.map((error) => `Pulumi refuses the change: ${error}`),
        ...clusters.flatMap(describeCluster),
        ...fluxJobs.map(describeJob),
        ...nothing,
        `Together: ${describeHours(nodeHours)}; ${kills ? "running work may end" : "no running work ends"}.`,
    ]
        .map((line) => `${foreignLine(line)}\n`)
        .join("");
}

function describeCluster({ ends, fit, name, namespace, nodeHours, operation, urn }: ClusterPlan): string[] {
    const title = name === "" ? `MiniCluster of ${urn} (its manifest is a secret)` : `MiniCluster ${namespace}/${name}`;
    return [
        `${title}: ${operation}`,
        ...(fit === undefined ? [] : [`  fit: ${fit.class}${fit.text === "" ? "" : `: ${fit.text}`}`]),
        ...(nodeHours === 0 ? [] : [`  time: ${describeHours(nodeHours)}`]),
        ...(ends === undefined ? [] : describeEnds(ends)),
    ];
}

function describeEnds({ command, effect, keepsPending, pending, results, running, unknown }: Ends): string[] {
    const commands =
        command === undefined
            ? []
            : [
                  `  ends: its command, which has been running for ${describeSeconds(command.seconds)} in ${command.pods} pods`,
              ];
    const kept = keepsPending ? "keeps" : "loses";
    const lost = results && `  loses: the results of its command (${amountInWords(results)}), which are not fetched`;
    return [
        `  ${effect}`,
        ...commands,
        ...(lost === undefined ? [] : [lost]),
        ...some(running).map((job) => `  ends: job ${describeRunning(job)}`),
        ...more("ends", running),
        ...some(pending).map((job) => `  ${kept}: job ${shownName(job)} (${job.jobId}), which waits`),
        ...more(kept, pending),
        ...(unknown === undefined ? [] : [`  not known: ${unknown}`]),
    ];
}

function describeJob({ cluster, jobId, name, operation, pending, running, unknown }: JobPlan): string {
    const runs =
        running.length === 0
            ? ""
            : `, ends ${running.length === 1 ? "a running job" : `${running.length} running jobs`}`;
    const waits = pending.length === 0 ? "" : `, cancels ${pending.length} that wait${pending.length === 1 ? "s" : ""}`;
    const unclear = unknown === undefined ? "" : `, not known whether it runs: ${unknown}`;
    return `FluxJob ${name} (${jobId} on ${cluster}): ${operation}${runs}${waits}${unclear}`;
}

function some(jobs: readonly LiveJob[]): readonly LiveJob[] {
    return jobs.slice(0, MOST_NAMED);
}

function more(what: string, jobs: readonly LiveJob[]): string[] {
    return jobs.length > MOST_NAMED ? [`  ${what}: ${jobs.length - MOST_NAMED} more jobs (--json has all)`] : [];
}

function describeHours(hours: number | null): string {
    return hours === null
        ? "node-hours not known: no time limit, or a value that the preview doesn't show"
        : `at most ${rounded(hours)} node-hours`;
}
