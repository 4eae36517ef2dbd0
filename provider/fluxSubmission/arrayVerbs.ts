import { type Kube, retry } from "../kube/client";
import { sentence } from "../kube/failure";
import { findLead } from "../pods/lead";
import { partialFailure } from "../verbs";
import type { FluxSubmissionInputs, FluxSubmissionOutputs, JobRecord } from "./properties";
import { placeOf } from "./place";
import { isFinished } from "./removal";
import { unreadable } from "../flux/queue";
import { outputsOf } from "./outputs";
import { awaitEnd, type Follower } from "../flux/follow";
import type { Waiting } from "../flux/lead";
import { waitingFor } from "./waiting";
import { countOf } from "../flux/elements";
import { describeArrayEnd, describeRecord, nameOf } from "./arrayFailure";
import { type ArrayProgress, describeProgress, lostProgress } from "../flux/arrayProgress";
import { ArrayQueue } from "../flux/arrayQueue";
import { findStanding, needsSubmission, runsAgain } from "./arrayRerun";
import { type Known, submitElements } from "../flux/arraySubmission";
import { allUnfinished, type Standing, standingOf, statusOf, withAgain } from "../flux/standing";

export async function createArray(inputs: FluxSubmissionInputs): Promise<{ id: string; outs: FluxSubmissionOutputs }> {
    const waiting = waitingFor(inputs);
    const standing = allUnfinished(countOf(inputs));
    const known = await submitElements(inputs, waiting, {
        indexes: standing.unfinished,
        rerun: false,
        seconds: inputs.timeouts.ready,
    });
    const id = `${inputs.cluster.namespace}/${inputs.cluster.name}/${known.jobId}`;
    return { id, outs: await follow({ id, inputs, known, waiting }, begunRecord(standing, known, inputs)) };
}

/** Submits elements that are missing or run again, and waits. An array that has failed for good is not asked for. */
export async function updateArray(
    id: string,
    olds: FluxSubmissionOutputs,
    news: FluxSubmissionInputs,
): Promise<{ outs: FluxSubmissionOutputs }> {
    const waiting = waitingFor(news);
    const { clusterUid: uid, elements, jobId, jobIds = [] } = olds;
    if (needsSubmission(olds, news)) {
        const rerun = runsAgain(olds, news);
        const before = await findStanding(olds, waiting);
        const standing = withAgain(before, rerun ? before.failed : new Set());
        const submitted = await submitElements(news, waiting, {
            indexes: standing.unfinished,
            rerun,
            seconds: news.timeouts.ready,
        });
        const known = { ...submitted, jobId: submitted.jobId ?? jobId };
        return { outs: await follow({ id, inputs: news, known, waiting }, begunRecord(standing, known, news)) };
    }
    const { exitCode, output, phase, reason } = olds;
    const record = { elements, exitCode, output, phase, reason };
    if (phase === "failed") {
        const outs = outputsOf(news, { jobId, jobIds, clusterUid: uid }, record);
        throw partialFailure(describeRecord(olds, news), id, outs);
    }
    const known = { jobId, jobIds, remaining: 0, submitted: elements?.submitted ?? 0, uid };
    return { outs: await follow({ id, inputs: news, known, waiting }, record) };
}

/** The record of elements that were submitted. */
function begunRecord(standing: Standing, { remaining, submitted }: Known, inputs: FluxSubmissionInputs): JobRecord {
    const pending = standing.unfinished.size - remaining;
    const elements = statusOf(standing, { count: countOf(inputs), submitted, pending, running: 0 });
    return { phase: "pending", elements, output: "" };
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
    const follower = arrayFollower({ kube, signal }, props, standingOf(elements));
    // If Flux has lost the elements, the record of those that had ended stays.
    const seen = await retry(() => follower.look(lead.container, 0, undefined));
    const progress = seen ?? lostProgress(elements);
    if (progress === undefined) {
        return undefined;
    }
    const now = seen?.over ? await follower.finish(lead.container, seen) : { output, progress };
    return { ...recordOf(now.progress, now.output), ...idsOf(now.progress, props) };
}

function idsOf({ jobId, jobIds }: ArrayProgress, known: Pick<FluxSubmissionOutputs, "jobId" | "jobIds">) {
    return { jobId: jobId ?? known.jobId, jobIds };
}

function arrayFollower(
    { kube, signal }: Pick<Waiting, "kube" | "signal">,
    inputs: FluxSubmissionInputs,
    known: Standing = allUnfinished(countOf(inputs)),
): Follower<ArrayProgress> {
    const queue = (lead: ConstructorParameters<typeof ArrayQueue>[1]) => new ArrayQueue(kube, lead, signal);
    return {
        look: (lead, seconds, last) => queue(lead).watch(inputs, seconds, standingOf(last?.elements) ?? known),
        finish: async (lead, progress) => {
            const { failures: logs, output } = await queue(lead).logs(inputs, inputs.maxBytes);
            return { progress: withLogs(progress, logs), output };
        },
        unread: (why) => (inputs.maxBytes === 0 ? "" : unreadable(nameOf(inputs), why)),
        lost: (last) => lostProgress(last?.elements ?? statusOf(known, { count: countOf(inputs), ...NONE })),
        describe: (progress) => (progress === undefined ? "waits" : describeProgress(progress.elements)),
    };
}

/** Elements that Flux has lost. */
const NONE = { submitted: 0, pending: 0, running: 0 };

/** With the logs by index. A failure that Flux has forgotten keeps its recorded log. */
function withLogs(progress: ArrayProgress, logs: Readonly<Record<string, string>>): ArrayProgress {
    const { failures: before } = progress.elements;
    const failures = before.map((failure) => ({ ...failure, output: logs[failure.index] ?? failure.output }));
    return { ...progress, elements: { ...progress.elements, failures } };
}

function recordOf({ elements, exitCode, phase, reason }: ArrayProgress, output: string): JobRecord {
    return { phase, exitCode, reason, elements, output };
}

interface Followed {
    readonly id: string;
    readonly inputs: FluxSubmissionInputs;
    readonly known: Known & { readonly jobId?: string };
    readonly waiting: Waiting;
}

/** Waits for the elements if `wait` is set. An array without success is kept in the state too. */
async function follow({ id, inputs, known, waiting }: Followed, begun: JobRecord): Promise<FluxSubmissionOutputs> {
    const { incomplete, uid: clusterUid } = known;
    const jobId = known.jobId ?? "";
    // Flux may lose elements with rank 0, or run failed ones again: then these are other jobs.
    const jobIds = known.jobIds.length === countOf(inputs) ? known.jobIds : [];
    const outputs = (record: JobRecord, progress?: ArrayProgress): FluxSubmissionOutputs => {
        const ids = progress === undefined ? { jobId, jobIds } : idsOf(progress, { jobId });
        return outputsOf(inputs, { ...ids, clusterUid }, record);
    };
    const fail = (message: string, record: JobRecord, progress?: ArrayProgress) =>
        partialFailure(message, id, outputs(record, progress));
    if (incomplete !== undefined) {
        throw fail(`The ${nameOf(inputs)} is not complete: ${incomplete}.`, begun);
    }
    if (!inputs.wait) {
        return outputs(begun);
    }
    const cluster = { ...inputs.cluster, uid: clusterUid };
    const follower = arrayFollower(waiting, inputs, standingOf(begun.elements));
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
    const count = begun.elements?.count ?? 0;
    return isLost ? { ...begun, phase: "lost", elements: statusOf(allUnfinished(count), { count, ...NONE }) } : begun;
}
