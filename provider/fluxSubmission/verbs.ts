import { cancellation } from "../engine/cancel";
import { connect, type Kube, retry } from "../kube/client";
import { sentence } from "../kube/failure";
import { isSameServer } from "../kube/sameCluster";
import { isForgettable, rememberAccess, withAccess } from "../kube/unreachable";
import { findLead } from "../pods/lead";
import { isUnknown } from "../unknown";
import { defined, partialFailure, type Verbs } from "../verbs";
import { inputsOf } from "../inputs";
import { explainSubmission, needsSubmission } from "./arrayRerun";
import { createArray, currentArray, updateArray } from "./arrayVerbs";
import { isUpdated, needsWait, replacements } from "./diff";
import { isArray } from "../flux/elements";
import { describeEnd, describeRecord } from "./failure";
import { deletionGuard, requireReplaceable } from "./interruption";
import { remember } from "./memory";
import { placeOf } from "./place";
import { type FluxSubmissionInputs, type FluxSubmissionOutputs, OUTPUTS, type JobRecord } from "./properties";
import type { JobKey, Run } from "../flux/job";
import { Queue } from "../flux/queue";
import { isFinished, remove } from "./removal";
import { type Known, outputsOf } from "./outputs";
import { submitJob } from "../flux/submission";
import { awaitEnd, jobFollower } from "../flux/follow";
import type { Waiting } from "../flux/lead";
import { waitingFor } from "./waiting";

/*
 * check   keeps the job's name; the component has checked the other inputs
 * diff    replaces the job when its content changes, because a submitted job can't be changed; refuses to cancel one
 *         that runs
 * create  submits the job, or finds the job that an interrupted create submitted, and waits for its end
 * read    records how far the job is
 * update  resumes the wait, or only records new settings
 * delete  cancels the job and removes it from Flux's history; in an update, only if no task runs or `interrupt` allows it
 */
export const fluxSubmission: Verbs<FluxSubmissionInputs, FluxSubmissionOutputs> = {
    async check(olds, news) {
        remember(news.nonce, news, true);
        if (!isUnknown([news.context, news.kubeconfig])) {
            rememberAccess(news);
        }
        return { inputs: { ...news, jobName: olds.jobName ?? news.jobName } };
    },

    async diff(_id, olds, news) {
        // A refresh asks with known inputs, and is no sign of an update.
        if (isUnknown(news)) {
            remember(olds.nonce, news, false);
        }
        const replaces = replacements(olds, news);
        if (replaces.length > 0) {
            await requireReplaceable(olds, news, replaces);
        }
        const submits = replaces.length === 0 && isArray(olds) && needsSubmission(olds, news);
        if (submits) {
            explainSubmission(olds, news);
        }
        const changes = submits || replaces.length > 0 || isUpdated(olds, news);
        return { changes, replaces, deleteBeforeReplace: true };
    },

    async create(inputs) {
        if (isArray(inputs)) {
            return createArray(inputs);
        }
        const waiting = waitingFor(inputs);
        const { jobId, uid } = await submitJob(inputs, waiting, inputs.timeouts.ready);
        const id = `${inputs.cluster.namespace}/${inputs.cluster.name}/${jobId}`;
        return { id, outs: await follow(id, inputs, { jobId, clusterUid: uid }, waiting) };
    },

    async read(id, props) {
        try {
            const current = isArray(props) ? currentArray : currentRecord;
            const record = await withAccess(props, isSameFor(props), (kube) => current(kube, props, cancellation()));
            if (record === undefined) {
                return {};
            }
            // A state of an earlier version has no exit code in place of null, and a refresh is no change.
            const none = props.exitCode === undefined ? undefined : null;
            const outputs = { ...props, reason: undefined, ...record, exitCode: record.exitCode ?? none };
            return { id, props: defined(outputs), inputs: inputsOf(props, OUTPUTS) };
        } catch (error) {
            if (isForgettable(error)) {
                return {};
            }
            throw new Error(`Flux job ${props.jobId} can't be read: ${sentence(error)}`, { cause: error });
        }
    },

    async update(id, olds, news) {
        const { clusterUid, elements, exitCode, jobId, jobIds, output, phase, reason } = olds;
        const record = { elements, exitCode, output, phase, reason };
        if (isArray(news) && (needsWait(olds, news) || needsSubmission(olds, news))) {
            return updateArray(id, olds, news);
        }
        const recorded = outputsOf(news, { jobId, jobIds, clusterUid }, record);
        if (!needsWait(olds, news)) {
            return { outs: recorded };
        }
        if (phase === "failed") {
            // Flux may have forgotten the job. Its record stays, and is the reason of this failure.
            throw partialFailure(describeRecord(record, { ...news, jobId }), id, recorded);
        }
        return { outs: await follow(id, news, { jobId, clusterUid }, waitingFor(news)) };
    },

    async delete(_id, props) {
        const judge = await deletionGuard(props);
        let refusal: Error | undefined;
        const guard = judge && ((run: Run) => (refusal = judge(run)));
        try {
            await withAccess(props, isSameFor(props), (kube) => remove(kube, props, guard));
        } catch (error) {
            if (error === refusal) {
                throw error;
            }
            if (!isForgettable(error)) {
                throw new Error(`Flux job ${props.jobId} can't be removed: ${sentence(error)}`, { cause: error });
            }
        }
    },
};

/** Tells whether other credentials lead to the cluster of a job: it has the job's lead, or is the same API server. */
function isSameFor(props: FluxSubmissionOutputs): (kube: Kube) => Promise<boolean> {
    return async (kube) =>
        (await findLead(kube, ...placeOf(props))).state !== "gone" || isSameServer(kube, connect(props));
}

/** Waits for the job if `wait` is set. A job without success is kept in the state too. */
async function follow(
    id: string,
    inputs: FluxSubmissionInputs,
    known: Known,
    waiting: Waiting,
): Promise<FluxSubmissionOutputs> {
    if (!inputs.wait) {
        return outputsOf(inputs, known, { phase: "pending", output: "" });
    }
    const { maxBytes, nonce, timeouts } = inputs;
    const cluster = { ...inputs.cluster, uid: known.clusterUid };
    const key: JobKey = { jobId: known.jobId, nonce };
    const fail = (message: string, record: JobRecord) => partialFailure(message, id, outputsOf(inputs, known, record));
    const follower = jobFollower(waiting, key, maxBytes);
    const ended = await awaitEnd({ ...waiting, cluster }, follower, timeouts).catch((error: unknown) => {
        const message =
            `Flux job ${known.jobId} of MiniCluster ${cluster.namespace}/${cluster.name} can't be followed: ` +
            `${sentence(error)}.`;
        throw fail(message, { phase: "unknown", output: "" });
    });
    const { exitCode, phase, reason }: Omit<JobRecord, "output"> = ended.progress ?? {
        phase: ended.unfinished === undefined ? "lost" : "pending",
    };
    const record = { exitCode, phase, reason, output: ended.output };
    const failure = describeEnd(ended, phase, { ...inputs, ...known });
    if (failure !== undefined) {
        throw fail(failure, record);
    }
    return outputsOf(inputs, known, record);
}

/** The current record of a job; undefined if the job or its cluster doesn't exist any more. */
async function currentRecord(
    kube: Kube,
    props: FluxSubmissionOutputs,
    signal: AbortSignal,
): Promise<JobRecord | undefined> {
    const { exitCode, jobId, maxBytes, nonce, output, phase, reason } = props;
    const known: JobRecord = { exitCode, output, phase, reason };
    const finished = isFinished(props);
    const lead = await findLead(kube, ...placeOf(props));
    if (lead.state === "gone" || (lead.state === "ended" && !finished)) {
        return undefined;
    }
    // The record of a finished job can't change any more, even if Flux has forgotten the job.
    if (lead.state !== "ready" || finished) {
        return known;
    }
    const queue = new Queue(kube, lead.container, signal);
    const progress = await retry(() => queue.watch({ jobId, nonce }, "", 0));
    if (progress === undefined) {
        return undefined;
    }
    const text = progress.over ? await queue.output({ jobId, nonce }, maxBytes) : output;
    return { exitCode: progress.exitCode, output: text, phase: progress.phase, reason: progress.reason };
}
