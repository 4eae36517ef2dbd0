import { isDeepStrictEqual } from "node:util";

import { cancellation } from "../engine/cancel";
import { warner } from "../engine/log";
import { type Kube, retry } from "../kube/client";
import { sentence } from "../kube/failure";
import { isForgettable, withAccess } from "../kube/unreachable";
import { findLead } from "../pods/lead";
import { isUnknown } from "../unknown";
import { defined, partialFailure, type Verbs } from "../verbs";
import { inputsOf } from "../inputs";
import { createArray, currentArray, explainSubmission, isArray, needsSubmission, updateArray } from "./arrayVerbs";
import { describeEnd } from "./failure";
import { type FluxSubmissionInputs, type FluxSubmissionOutputs, OUTPUTS, type JobRecord } from "./properties";
import { type JobKey, Queue } from "./queue";
import { isFinished, placeOf, remove } from "./removal";
import { SCHEMA_VERSION } from "./schema";
import { subject } from "./script";
import { submitJob } from "./submission";
import { awaitEnd, jobFollower, type Waiting, waitingFor } from "./wait";

/*
 * check   returns the inputs unchanged: the component has checked them
 * diff    replaces the job when its content changes, because a submitted job can't be changed
 * create  submits the job, or finds the job that an interrupted create submitted, and waits for its end
 * read    records how far the job is
 * update  resumes the wait, or only records new settings
 * delete  cancels the job and removes it from Flux's history
 */
export const fluxSubmission: Verbs<FluxSubmissionInputs, FluxSubmissionOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },

    async diff(_id, olds, news) {
        const replaces = replacements(olds, news);
        const submits = replaces.length === 0 && isArray(news) && needsSubmission(olds, news);
        if (submits) {
            explainSubmission(olds, news);
        }
        const changes =
            submits ||
            replaces.length > 0 ||
            needsWait(olds, news) ||
            !isDeepStrictEqual(settings(olds), settings(news));
        return { changes, replaces, deleteBeforeReplace: true };
    },

    async create(inputs) {
        if (isArray(inputs)) {
            return createArray(inputs);
        }
        const waiting = waitingFor(inputs);
        const { jobId, uid } = await submitJob(inputs, waiting);
        const id = `${inputs.cluster.namespace}/${inputs.cluster.name}/${jobId}`;
        return { id, outs: await follow(id, inputs, { jobId, clusterUid: uid }, waiting) };
    },

    async read(id, props) {
        try {
            const isSame = async (kube: Kube) => (await findLead(kube, ...placeOf(props))).state !== "gone";
            const current = isArray(props) ? currentArray : currentRecord;
            const record = await withAccess(props, isSame, (kube) => current(kube, props, cancellation()));
            if (record === undefined) {
                return {};
            }
            const outputs = { ...props, exitCode: undefined, reason: undefined, ...record };
            return { id, props: defined(outputs), inputs: inputsOf(props, OUTPUTS) };
        } catch (error) {
            if (isForgettable(error)) {
                return {};
            }
            throw new Error(`Flux job ${props.jobId} can't be read: ${sentence(error)}`, { cause: error });
        }
    },

    async update(id, olds, news) {
        const { clusterUid, jobId } = olds;
        if (isArray(news) && (needsWait(olds, news) || needsSubmission(olds, news))) {
            return updateArray(id, olds, news);
        }
        if (needsWait(olds, news)) {
            return { outs: await follow(id, news, { jobId, clusterUid }, waitingFor(news)) };
        }
        const { elements, exitCode, jobIds, output, phase, reason } = olds;
        return { outs: outputs(news, { jobId, jobIds, clusterUid }, { elements, exitCode, output, phase, reason }) };
    },

    async delete(_id, props) {
        const isSame = async (kube: Kube) => (await findLead(kube, ...placeOf(props))).state !== "gone";
        try {
            await withAccess(props, isSame, (kube) => remove(kube, props));
        } catch (error) {
            if (!isForgettable(error)) {
                throw new Error(`Flux job ${props.jobId} can't be removed: ${sentence(error)}`, { cause: error });
            }
        }
    },
};

function replacements(olds: FluxSubmissionOutputs, news: FluxSubmissionInputs): string[] {
    if (isUnknown(news.cluster)) {
        return ["cluster"];
    }
    const { name, namespace, uid = olds.clusterUid } = news.cluster;
    const [old, wanted] = [subject(olds), subject(news)];
    const changed = Object.keys(wanted).filter((key) => !isDeepStrictEqual(old[key], wanted[key]));
    if (!isDeepStrictEqual([namespace, name, uid], placeOf(olds))) {
        changed.push("cluster");
    }
    if (olds.nonce !== news.nonce) {
        changed.push("nonce");
    }
    return changed.length > 0 || isArray(news) ? changed : rerun(olds, news);
}

/** Submits a lost job again, and a failed one if it is to be rerun. Only a warning can show the reason in a preview. */
function rerun({ jobId, phase, reason }: FluxSubmissionOutputs, news: FluxSubmissionInputs): string[] {
    const again = phase === "lost" || (phase === "failed" && news.rerunFailed);
    if (again) {
        const why = phase === "lost" ? "its cluster has no record of it" : `it failed (${reason})`;
        warner(news.resourceUrn, news.jobName)(`${jobId} is submitted again: ${why}.`);
    }
    return again ? ["phase"] : [];
}

function needsWait({ phase }: FluxSubmissionOutputs, { wait }: FluxSubmissionInputs): boolean {
    return wait && phase !== "succeeded";
}

/** The inputs that can change without a wait. The URN is left out: only the progress lines use it. */
function settings({
    context,
    kubeconfig,
    maxBytes,
    rerunFailed,
    secretOutput,
    timeouts,
    wait,
}: FluxSubmissionInputs): unknown {
    return { context, kubeconfig, maxBytes, rerunFailed, secretOutput, timeouts, wait };
}

type Known = Pick<FluxSubmissionOutputs, "clusterUid" | "jobId" | "jobIds">;

function outputs(inputs: FluxSubmissionInputs, known: Known, record: JobRecord): FluxSubmissionOutputs {
    return defined({ ...inputs, ...known, ...record, schemaVersion: SCHEMA_VERSION });
}

/** Waits for the job if `wait` is set. A job without success is kept in the state too. */
async function follow(
    id: string,
    inputs: FluxSubmissionInputs,
    known: Known,
    waiting: Waiting,
): Promise<FluxSubmissionOutputs> {
    if (!inputs.wait) {
        return outputs(inputs, known, { phase: "pending", output: "" });
    }
    const { maxBytes, nonce, timeouts } = inputs;
    const cluster = { ...inputs.cluster, uid: known.clusterUid };
    const key: JobKey = { jobId: known.jobId, nonce };
    const fail = (message: string, record: JobRecord) => partialFailure(message, id, outputs(inputs, known, record));
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
    return outputs(inputs, known, record);
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
