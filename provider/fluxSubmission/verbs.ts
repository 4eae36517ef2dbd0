import { tellCode } from "../code/tell";
import { cancellation } from "../host/cancel";
import { isArray } from "../flux/elements";
import { awaitEnd } from "../flux/follow";
import type { Run } from "../flux/job";
import type { Waiting } from "../flux/lead";
import { marksOf, placeOf } from "../flux/clusterPlace";
import { warner } from "../host/log";
import { deletionGuard, remember, rememberRemoval, requireReplaceable } from "../guard/guard";
import { inputsOf } from "../host/inputs";
import { type Kube, retry } from "../kubernetes/client";
import type { Container } from "../kubernetes/streams/exec";
import { sentence } from "../kubernetes/failures/failure";
import { isForgettable, rememberAccess, withAccess } from "../kubernetes/kubeconfig/unreachable";
import { leadsTo } from "../observe/job";
import { findLead } from "../observe/pods/lead";
import { isUnknown } from "../host/unknown";
import { defined, partialFailure, type Verbs } from "../host/verbs";
import { submitMissing } from "./array";
import { explainSubmission, needsSubmission } from "./arrayRerun";
import { isUpdated, needsWait, replacements } from "./diff";
import { outputsOf } from "./outputs";
import { type FluxSubmissionInputs, type FluxSubmissionOutputs, OUTPUTS, type JobRecord } from "./properties";
import { isFinished, remove } from "./removal";
import { keepResults, needsResults, resultsIn } from "./results";
import { betterOf } from "../results/outcome";
import { rowOf } from "./row";
import { waitingFor } from "./waiting";
import type { Begun, Recorded } from "./work";
import { submit, workOf } from "./workOf";

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
        const jobName = olds.jobName ?? news.jobName;
        tellCode({ before: olds.code, code: news.code, name: jobName, resourceUrn: news.resourceUrn });
        return { inputs: { ...news, jobName } };
    },

    async diff(_id, olds, news) {
        // A refresh asks with known inputs, and is no sign of an update.
        if (isUnknown(news)) {
            remember(olds.nonce, news, false);
        }
        const replaces = replacements(olds, news);
        if (replaces.length > 0) {
            const run = (kube: Kube, lead: Container, signal: AbortSignal) =>
                workOf({ kube, signal }, olds, olds).run(lead);
            await requireReplaceable({ olds, news, replaces, run });
        }
        const submits = replaces.length === 0 && isArray(olds) && needsSubmission(olds, news);
        if (submits) {
            explainSubmission(olds, news);
        }
        const changes = submits || replaces.length > 0 || isUpdated(olds, news);
        return { changes, replaces, deleteBeforeReplace: true };
    },

    async create(inputs) {
        rememberRemoval(inputs.nonce, false);
        const waiting = waitingFor(inputs);
        const begun = await submit(inputs, waiting);
        const id = `${inputs.cluster.namespace}/${inputs.cluster.name}/${begun.jobId}`;
        return { id, outs: await follow(id, inputs, begun, waiting) };
    },

    async read(id, props) {
        try {
            const read = await withAccess(props, leadsTo(placeOf(props), props), async (kube) => {
                const record = await current(kube, props, cancellation());
                return record && { ...record, ...(await marksOf(kube, props)) };
            });
            if (read === undefined) {
                return {};
            }
            const { exitCode = null, progress = props.progress, record = props.record } = read;
            const outputs = { ...props, reason: undefined, ...read, exitCode, progress, record };
            const results = resultsIn(props, outputs);
            return { id, props: defined({ ...outputs, results }), inputs: inputsOf(props, OUTPUTS) };
        } catch (error) {
            if (isForgettable(error)) {
                return {};
            }
            throw new Error(`Flux job ${props.jobId} can't be read: ${sentence(error)}`, { cause: error });
        }
    },

    async update(id, olds, news) {
        if (isArray(news) && needsSubmission(olds, news)) {
            const waiting = waitingFor(news);
            return { outs: await follow(id, news, await submitMissing(olds, news, waiting), waiting) };
        }
        const { clusterMark, clusterUid, jobId, jobIds, lead } = olds;
        const known = { clusterMark, clusterUid, jobId, jobIds, lead };
        const record = recordIn(olds);
        const recorded = outputsOf(news, known, record);
        if (!needsWait(olds, news)) {
            if (!needsResults(olds, news)) {
                return { outs: recorded };
            }
            const results = await keepResults(news, olds, { ...waitingFor(news), cluster: placeOf(olds) });
            return { outs: outputsOf(news, known, { ...record, results: betterOf(olds.results, results) }) };
        }
        const waiting = waitingFor(news);
        if (olds.phase === "failed") {
            // Flux may have forgotten the work. Its record stays, and is the reason of this failure.
            throw partialFailure(workOf(waiting, news, olds).describeRecord(record), id, recorded);
        }
        return { outs: await follow(id, news, { ...known, record }, waiting) };
    },

    async delete(_id, props) {
        const judge = await deletionGuard(props);
        let refusal: Error | undefined;
        const guard = judge && ((run: Run) => (refusal = judge(run)));
        try {
            await withAccess(props, leadsTo(placeOf(props), props), (kube) => remove(kube, props, guard));
            rememberRemoval(props.nonce, true);
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

/** Waits for the work if `wait` is set. Work without success is kept in the state too. */
async function follow(
    id: string,
    inputs: FluxSubmissionInputs,
    { incomplete, record: begun, ...submitted }: Begun,
    waiting: Waiting,
): Promise<FluxSubmissionOutputs> {
    const { cluster } = inputs;
    const known = { ...submitted, ...(await marksOf(waiting.kube, { cluster, ...submitted })) };
    const { report, view } = rowOf(inputs, known.jobId);
    const work = workOf({ ...waiting, view }, inputs, { ...begun, ...known });
    const fail = (message: string, record: JobRecord) => partialFailure(message, id, outputsOf(inputs, known, record));
    if (incomplete !== undefined) {
        throw fail(`${work.name} is not complete: ${incomplete}.`, begun);
    }
    if (!inputs.wait) {
        return outputsOf(inputs, known, begun);
    }
    const place = placeOf({ cluster, ...known });
    const ended = await awaitEnd({ ...waiting, report, cluster: place }, work, inputs.timeouts).catch(
        (error: unknown) => {
            throw fail(`${work.name} can't be followed: ${sentence(error)}.`, { ...begun, phase: "unknown" });
        },
    );
    const { output, progress, unfinished } = ended;
    const record =
        progress === undefined ? work.unseen(begun, unfinished === undefined) : work.recordOf(progress, output);
    const results = await keepResults(inputs, { ...known, ...record }, { ...waiting, report, cluster: place });
    const whole = { ...record, progress: record.progress ?? begun.progress, results };
    const failure = work.describeEnd(ended, record.phase);
    if (failure !== undefined) {
        throw fail(failure, whole);
    }
    return outputsOf(inputs, known, whole);
}

/** The current record of work; undefined if it or its cluster doesn't exist any more. In another cluster, it stays. */
async function current(kube: Kube, props: FluxSubmissionOutputs, signal: AbortSignal): Promise<Recorded | undefined> {
    const lead = await findLead(kube, placeOf(props));
    // The record of finished work can't change any more, even if Flux has forgotten it.
    if (lead.state !== "gone" && isFinished(props)) {
        return recordIn(props);
    }
    switch (lead.state) {
        case "ended":
        case "gone":
            return undefined;
        case "ready":
            return observed({ kube, signal }, props, lead.container);
        case "unknown":
            warner(props.resourceUrn, props.jobName)(`Flux job ${props.jobId} stays in the state: ${lead.why}.`);
            return recordIn(props);
        case "away":
            return recordIn(props);
    }
}

async function observed(
    means: Pick<Waiting, "kube" | "signal">,
    props: FluxSubmissionOutputs,
    lead: Container,
): Promise<Recorded | undefined> {
    const work = workOf(means, props, props);
    const seen = await retry(() => work.peek(lead));
    // If Flux has lost the elements of an array, the record of those that had ended stays.
    const progress = seen ?? work.lost(undefined);
    if (progress === undefined) {
        return undefined;
    }
    const now = seen?.over ? await work.finish(lead, seen) : { output: props.output, progress };
    return work.recordOf(now.progress, now.output);
}

function recordIn(outputs: FluxSubmissionOutputs): JobRecord {
    const { elements, exitCode, output, phase, progress, reason, record, results } = outputs;
    return { elements, exitCode, output, phase, progress, reason, record, results };
}
