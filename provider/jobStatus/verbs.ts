import { isDeepStrictEqual } from "node:util";

import { cancellation } from "../host/cancel";
import { printer, reporter, warner } from "../host/log";
import { announce, type Announcement } from "../kubernetes/announce";
import { connect, type Kube } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import { type JobId, parseId } from "../kubernetes/jobId";
import { withAccess } from "../kubernetes/kubeconfig/unreachable";
import { creationOf } from "../observe/creation";
import { isClusterOf, mayHaveExpired } from "../observe/job";
import { isUnreadable } from "../flux/queue";
import { defined, partialFailure, type Verbs } from "../host/verbs";
import { inputsOf } from "../host/inputs";
import { commandOutput } from "./commandOutput";
import { causeOf, describeFailure } from "./failure";
import { lossHint } from "./failure/lossHint";
import { failureLog } from "./failure/failureLog";
import { needsWait, settings } from "./goal";
import { describeElsewhere, knownJob } from "./here";
import { hasEnd, keptResults, recordedIn, recordUnseen, withEarlierEnd } from "./kept";
import { isChecked, setChecked } from "./betweenVerbs";
import { OUTPUTS, type JobStatusInputs, type JobStatusOutputs, type Phase, type Recorded } from "./properties";
import { recordWaited } from "./record";
import { refreshed } from "./refresh";
import { type Waited, waitForJob } from "./wait";

const SCHEMA_VERSION = 1;

/*
 * check   remembers that this is an update
 * create  waits and records what it saw; also records a failed wait
 * diff    asks for another wait if the Job or the size has changed, or if the goal was not reached; in a refresh, a
 *         cluster that has only fallen asleep is unchanged
 * update  waits, or only records new settings; keeps the record of the same Job if it can't see that Job
 * read    keeps the record while the phase is the same, and in another cluster; else records what a wait would record
 * delete  does nothing
 */
export const jobStatus: Verbs<JobStatusInputs, JobStatusOutputs> = {
    async check(_olds, news) {
        setChecked(news);
        return { inputs: news };
    },

    async diff(_id, olds, news) {
        const isChanged = !isDeepStrictEqual(settings(olds), settings(news));
        return { changes: isChanged || needsWait(olds, news, !isChecked(news)) };
    },

    async create(inputs) {
        const { name, namespace } = parseId(inputs.job);
        const id = `${namespace}/${name}`;
        return { id, outs: await awaitGoal(id, inputs) };
    },

    async update(id, olds, news) {
        const waits = needsWait(olds, news, false);
        return { outs: waits ? await awaitGoal(id, news, olds) : { ...news, ...recordedIn(olds) } };
    },

    async read(id, props) {
        const isSame = (kube: Kube) => isClusterOf(kube, knownJob(props));
        const read = await withAccess(props, isSame, (kube) => refreshed(kube, props));
        return { id, props: defined({ ...read, ...recordedIn(read) }), inputs: inputsOf(props, OUTPUTS) };
    },

    async delete() {},
};

/** The Job's TTL, if it may have removed the Job, even if the current arguments set none. */
function expiring(
    { expires, job }: JobStatusInputs,
    before: JobStatusOutputs | undefined,
    now: Date,
): number | true | undefined {
    const own = before?.job === job ? before : undefined;
    if (own?.phase === "expired") {
        return true;
    }
    const createdAt = own?.createdAt ?? creationOf(parseId(job).uid);
    return [expires, own?.expires].find((ttl) => mayHaveExpired(ttl, createdAt, now));
}

/** The result of a wait. A failure fails the update; the record is kept in the state in any case. */
interface Result {
    readonly recorded: Recorded;
    readonly failure?: string;
}

async function awaitGoal(id: string, inputs: JobStatusInputs, before?: JobStatusOutputs): Promise<JobStatusOutputs> {
    const job = parseId(inputs.job);
    const kube = connect(inputs);
    const outputs = (recorded: Recorded) => defined({ ...inputs, ...recorded, schemaVersion: SCHEMA_VERSION });
    const asked = { ...inputs, expires: expiring(inputs, before, kube.now()) };
    try {
        const report = reporter(inputs.resourceUrn, job.name);
        const warn = warner(inputs.resourceUrn, job.name);
        const say = (line: string, isWarning?: boolean) => (isWarning ? warn : report)(line);
        const isResumed = before?.job === inputs.job && ["running", "succeeded"].includes(before.phase);
        const printing = { printer: printer(inputs.resourceUrn, job.name), isResumed };
        const output = commandOutput(kube, job.namespace, inputs, printing);
        const waited = await waitForJob(kube, job, asked, { report: say, cancel: cancellation(), output });
        const { failure, recorded } =
            (await missing(kube, waited, inputs, before)) ?? (await conclude(kube, job, waited, inputs, before));
        if (failure !== undefined) {
            throw partialFailure(failure, id, outputs(recorded));
        }
        return outputs(recorded);
    } catch (error) {
        if ("id" in (error as object)) {
            throw error;
        }
        throw partialFailure(
            `Job ${job.namespace}/${job.name} can't be watched: ${sentence(error)}`,
            id,
            outputs(recordUnseen(inputs, before)),
        );
    }
}

/** The result of a wait whose Job is not there. Undefined if it is, or if nothing is known of it. */
async function missing(
    kube: Kube,
    waited: Waited,
    inputs: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Promise<Result | undefined> {
    const { phase } = waited.last;
    if (phase !== "gone" && phase !== "expired") {
        return undefined;
    }
    // A Job that was there during the wait has shown that this is its cluster. A recorded end is true in any cluster.
    if (!waited.seen.hadJob && !hasEnd(inputs, before) && !(await isClusterOf(kube, knownJob(inputs)))) {
        return {
            recorded: recordUnseen(inputs, before),
            failure: describeElsewhere(parseId(inputs.job), kube, inputs),
        };
    }
    return remembered(waited, inputs, before);
}

/** Keeps the record of an earlier wait for the same Job if the Job doesn't exist any more. */
function remembered(
    { last }: Waited,
    { job }: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Result | undefined {
    if (before?.job !== job) {
        return undefined;
    }
    const recorded = recordedIn(before);
    if (before.phase === "succeeded") {
        return { recorded };
    }
    if (before.phase === "failed") {
        return {
            recorded,
            failure: `${parseId(job).name}: The run failed, and its Job was removed. Change triggers to run it again.`,
        };
    }
    return last.outcome === "reached" ? { recorded: { ...recorded, phase: last.phase } } : undefined;
}

async function conclude(
    kube: Kube,
    job: JobId,
    waited: Waited,
    inputs: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Promise<Result> {
    const { interrupted, last } = waited;
    const { ranks, recorded } = await recordOf(kube, job, waited, inputs, before);
    if (interrupted) {
        return {
            recorded,
            failure: `The wait for ${job.name} was interrupted (phase: ${last.phase}). The next update resumes the wait.`,
        };
    }
    await announce(kube, job, announcement(waited, inputs, before));
    if (last.outcome !== "failed") {
        return { recorded };
    }
    const output = isUnreadable(recorded.output) ? "" : recorded.output;
    const log = await failureLog(kube, job.namespace, waited, ranks, output);
    const losses = waited.seen.losses.all();
    const cause = causeOf(last.failure ?? "", last.phase === "failed" ? ranks : [], losses);
    const hint = lossHint(log?.text, ranks, losses);
    return { recorded, failure: `${job.name}: ${describeFailure(cause + hint, log, inputs)}` };
}

async function recordOf(
    kube: Kube,
    job: JobId,
    waited: Waited,
    inputs: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Promise<Awaited<ReturnType<typeof recordWaited>>> {
    if (waited.last.phase === "unknown") {
        return { ranks: waited.seen.ranks(), recorded: recordUnseen(inputs, before) };
    }
    const { ranks, recorded } = await recordWaited(kube, job, waited, inputs);
    const own = before?.job === inputs.job ? before : undefined;
    const known = { ...withEarlierEnd(recorded, inputs, before), results: keptResults(recorded, own) };
    return { ranks, recorded: { ...known, createdAt: recorded.createdAt ?? own?.createdAt } };
}

/** The Event for the end of a wait; progress lines get none. */
function announcement(
    { last: { failure, line, outcome, phase }, seen: { job } }: Waited,
    inputs: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Announcement {
    const generation = job?.metadata?.generation;
    if (outcome === "failed") {
        return { reason: "Failed", message: failure ?? line, warning: true, generation };
    }
    if (phase === "ready") {
        return { ...readyWords(inputs, before), warning: false, generation };
    }
    const words: Partial<Record<Phase, string>> = {
        asleep: "Asleep",
        running: "Ready",
        succeeded: "Succeeded",
        suspended: "Suspended",
    };
    return { reason: words[phase] ?? "Created", message: line, warning: false, generation };
}

function readyWords({ job, size, sizedBy }: JobStatusInputs, before: JobStatusOutputs | undefined) {
    if (sizedBy === "cluster") {
        return { reason: "Ready", message: "the lead takes jobs, and the cluster sizes itself" };
    }
    if (before?.job === job && before.size !== size) {
        return { reason: "Resized", message: `from ${before.size} to ${size} ranks` };
    }
    return { reason: "Ready", message: size === 1 ? "1 rank joined" : `${size} ranks joined` };
}
