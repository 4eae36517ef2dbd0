import type { ElementsStatus } from "../contract/array";
import { warner } from "../engine/log";
import { type Kube, retry } from "../kube/client";
import { sentence } from "../kube/failure";
import { findLead } from "../pods/lead";
import { defined, partialFailure } from "../verbs";
import type { FluxSubmissionInputs, FluxSubmissionOutputs, JobRecord } from "./properties";
import { isFinished, placeOf } from "./removal";
import { SCHEMA_VERSION } from "./schema";
import { awaitEnd, type Follower, type Waiting, waitingFor } from "./wait";
import { countOf, numberOf } from "./elements";
import { describeArrayEnd, nameOf } from "./arrayFailure";
import { type ArrayProgress, describeProgress } from "./arrayProgress";
import { ArrayQueue } from "./arrayQueue";
import { type Known, submitElements } from "./arraySubmission";

/** True for an array, whose verbs are here. */
export function isArray({ array }: Pick<FluxSubmissionInputs, "array">): boolean {
    return (array ?? undefined) !== undefined;
}

/** True if elements are missing or are to run again. Then an update submits only these. */
export function needsSubmission(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): boolean {
    const { elements, phase } = olds;
    const missing = phase === "lost" || (elements?.submitted ?? 0) < countOf(olds);
    return missing || (phase === "failed" && news.rerunFailed);
}

/** Says why elements are submitted again. Only a warning can show the reason in a preview. */
export function explainSubmission({ elements, phase }: FluxSubmissionOutputs, news: FluxSubmissionInputs): void {
    const missing = countOf(news) - (elements?.submitted ?? 0);
    const count = numberOf(countOf(news));
    const line =
        missing > 0 || phase === "lost"
            ? `${numberOf(missing)} of ${count} elements are submitted, which its cluster doesn't have.`
            : `${numberOf(elements?.failed ?? 0)} of ${count} elements are submitted again: they failed.`;
    warner(news.resourceUrn, news.jobName)(line);
}

export async function createArray(inputs: FluxSubmissionInputs): Promise<{ id: string; outs: FluxSubmissionOutputs }> {
    const waiting = waitingFor(inputs);
    const known = await submitElements(inputs, waiting, false);
    const id = `${inputs.cluster.namespace}/${inputs.cluster.name}/${known.jobId}`;
    return { id, outs: await follow(id, inputs, known, waiting) };
}

export async function updateArray(
    id: string,
    olds: FluxSubmissionOutputs,
    news: FluxSubmissionInputs,
): Promise<{ outs: FluxSubmissionOutputs }> {
    const waiting = waitingFor(news);
    const { clusterUid: uid, elements, jobId, jobIds = [] } = olds;
    const known = needsSubmission(olds, news)
        ? await submitElements(news, waiting, olds.phase === "failed" && news.rerunFailed)
        : { jobId, jobIds, submitted: elements?.submitted ?? 0, uid };
    return { outs: await follow(id, news, known, waiting) };
}

/** The current record of an array; undefined if Flux has none of its elements. */
export async function currentArray(
    kube: Kube,
    props: FluxSubmissionOutputs,
    signal: AbortSignal,
): Promise<JobRecord | undefined> {
    const { elements, exitCode, output, phase, reason } = props;
    const known = { elements, exitCode, output, phase, reason };
    const lead = await findLead(kube, ...placeOf(props));
    if (lead.state === "gone" || (lead.state === "ended" && !isFinished(props))) {
        return undefined;
    }
    if (lead.state !== "ready" || isFinished(props)) {
        return known;
    }
    const follower = arrayFollower({ kube, signal }, props);
    const progress = await retry(() => follower.look(lead.container, 0, undefined));
    if (progress === undefined) {
        return undefined;
    }
    const now = progress.over ? await follower.finish(lead.container, progress) : { output, progress };
    return { ...recordOf(now.progress, now.output), ...idsOf(now.progress, props) };
}

function idsOf({ jobId, jobIds }: ArrayProgress, known: Pick<FluxSubmissionOutputs, "jobId" | "jobIds">) {
    return { jobId: jobId ?? known.jobId, jobIds };
}

function arrayFollower(
    { kube, signal }: Pick<Waiting, "kube" | "signal">,
    inputs: FluxSubmissionInputs,
): Follower<ArrayProgress> {
    const queue = (lead: ConstructorParameters<typeof ArrayQueue>[1]) => new ArrayQueue(kube, lead, signal);
    return {
        look: (lead, seconds) => queue(lead).watch(inputs, seconds),
        finish: async (lead, progress) => {
            const { failures: logs, output } = await queue(lead).logs(inputs);
            return { progress: withLogs(progress, logs), output };
        },
        describe: (progress) => (progress === undefined ? "waits" : describeProgress(progress.elements)),
    };
}

function withLogs(progress: ArrayProgress, logs: readonly string[]): ArrayProgress {
    const failures = progress.elements.failures.map((failure, index) => ({ ...failure, output: logs[index] ?? "" }));
    return { ...progress, elements: { ...progress.elements, failures } };
}

function recordOf({ elements, exitCode, phase, reason }: ArrayProgress, output: string): JobRecord {
    return { phase, exitCode, reason, elements, output };
}

/** Waits for the elements if `wait` is set. An array without success is kept in the state too. */
async function follow(
    id: string,
    inputs: FluxSubmissionInputs,
    known: Known,
    waiting: Waiting,
): Promise<FluxSubmissionOutputs> {
    const { incomplete, jobId, submitted, uid: clusterUid } = known;
    // Flux may lose elements with rank 0, or run failed ones again: then these are other jobs.
    const jobIds = known.jobIds.length === countOf(inputs) ? known.jobIds : [];
    const outputs = (record: JobRecord, progress?: ArrayProgress): FluxSubmissionOutputs => {
        const ids = progress === undefined ? { jobId, jobIds } : idsOf(progress, { jobId });
        return defined({ ...inputs, ...ids, clusterUid, ...record, schemaVersion: SCHEMA_VERSION });
    };
    const fail = (message: string, record: JobRecord, progress?: ArrayProgress) =>
        partialFailure(message, id, outputs(record, progress));
    const begun: JobRecord = { phase: "pending", elements: begin(countOf(inputs), submitted), output: "" };
    if (incomplete !== undefined) {
        throw fail(`The ${nameOf(inputs)} is not complete: ${incomplete}.`, begun);
    }
    if (!inputs.wait) {
        return outputs(begun);
    }
    const cluster = { ...inputs.cluster, uid: clusterUid };
    const follower = arrayFollower(waiting, inputs);
    const ended = await awaitEnd({ ...waiting, cluster }, follower, inputs.timeouts).catch((error: unknown) => {
        throw fail(`The ${nameOf(inputs)} can't be followed: ${sentence(error)}.`, { ...begun, phase: "unknown" });
    });
    const { output, progress } = ended;
    const record = progress === undefined ? notSeen(begun, ended.unfinished === undefined) : recordOf(progress, output);
    const failure = describeArrayEnd(ended, record.phase, inputs);
    if (failure !== undefined) {
        throw fail(failure, record, progress);
    }
    return outputs(record, progress);
}

/** The record of an array of which Flux has shown no element. */
export function notSeen(begun: JobRecord, isLost: boolean): JobRecord {
    return isLost ? { ...begun, phase: "lost", elements: begin(begun.elements?.count ?? 0, 0) } : begun;
}

function begin(count: number, submitted: number): ElementsStatus {
    return { count, submitted, pending: submitted, running: 0, succeeded: 0, failed: 0, failures: [] };
}
