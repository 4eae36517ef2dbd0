import { isDeepStrictEqual } from "node:util";

import { cancellation } from "../engine/cancel";
import { reporter, warner } from "../engine/log";
import { connect, type Kube, retry } from "../kube/client";
import { sentence } from "../kube/failure";
import { findLead } from "../pods/lead";
import { withGrace } from "../kube/pause";
import { isForgettable, withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { defined, partialFailure, pick, type Verbs } from "../verbs";
import { describeEnd } from "./failure";
import { type JobKey, Queue } from "./queue";
import { isFinished, placeOf, remove } from "./removal";
import { type FluxSubmissionInputs, type FluxSubmissionOutputs, INPUT_NAMES, type JobRecord } from "./resource";
import { subject } from "./script";
import { awaitEnd, awaitLead, overcome, type Waiting } from "./wait";

const SCHEMA_VERSION = 1;

/** Milliseconds that a submission gets to end when the update is interrupted, so that the job is in the state. */
const SUBMIT_GRACE = 3000;

/*
 * check   passes the inputs on: the component has checked them
 * diff    a job can't be changed: what differs is submitted anew
 * create  submits the job, or finds the one that an interrupted create submitted, and waits for its end
 * read    tells how far it is
 * update  waits on, or only takes over new settings
 * delete  cancels it and takes it out of Flux' history
 */
export const fluxSubmission: Verbs<FluxSubmissionInputs, FluxSubmissionOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },

    async diff(_id, olds, news) {
        const replaces = replacements(olds, news);
        const changes =
            replaces.length > 0 || needsWait(olds, news) || !isDeepStrictEqual(settings(olds), settings(news));
        return { changes, replaces, deleteBeforeReplace: true };
    },

    async create(inputs) {
        const waiting = waitingFor(inputs);
        const { jobId, uid } = await submit(inputs, waiting);
        const id = `${inputs.cluster.namespace}/${inputs.cluster.name}/${jobId}`;
        return { id, outs: await follow(id, inputs, { jobId, clusterUid: uid }, waiting) };
    },

    async read(id, props) {
        try {
            const isSame = async (kube: Kube) => (await findLead(kube, ...placeOf(props))).state !== "gone";
            const record = await withAccess(props, isSame, (kube) => currentRecord(kube, props));
            if (record === undefined) {
                return {};
            }
            const outputs = { ...props, exitCode: undefined, reason: undefined, ...record };
            return { id, props: defined(outputs), inputs: pick<FluxSubmissionInputs>(props, INPUT_NAMES) };
        } catch (error) {
            if (isForgettable(error)) {
                return {};
            }
            throw new Error(`Flux job ${props.jobId} can't be read: ${sentence(error)}`, { cause: error });
        }
    },

    async update(id, olds, news) {
        const { clusterUid, jobId } = olds;
        if (needsWait(olds, news)) {
            return { outs: await follow(id, news, { jobId, clusterUid }, waitingFor(news)) };
        }
        const { exitCode, output, phase, reason } = olds;
        return { outs: outputs(news, { jobId, clusterUid }, { exitCode, output, phase, reason }) };
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
    return changed.length > 0 ? changed : rerun(olds, news);
}

/** What ended without success is submitted again; preview can only show why by a warning. */
function rerun({ jobId, phase, reason }: FluxSubmissionOutputs, news: FluxSubmissionInputs): string[] {
    const again = phase === "lost" || (phase === "failed" && news.rerunFailed);
    if (again) {
        const why = phase === "lost" ? "its cluster doesn't know it any more" : `it failed (${reason})`;
        warner(news.resourceUrn, news.jobName)(`${jobId} is submitted again: ${why}.`);
    }
    return again ? ["phase"] : [];
}

function needsWait({ phase }: FluxSubmissionOutputs, { wait }: FluxSubmissionInputs): boolean {
    return wait && phase !== "succeeded";
}

/** What changes without a wait; the URN only serves the progress lines. */
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

function waitingFor(inputs: FluxSubmissionInputs): Waiting {
    const { cluster, jobName, resourceUrn } = inputs;
    return { kube: connect(inputs), cluster, report: reporter(resourceUrn, jobName), signal: cancellation() };
}

async function submit(inputs: FluxSubmissionInputs, waiting: Waiting): Promise<{ jobId: string; uid: string }> {
    const { name, namespace } = inputs.cluster;
    const deadline = Date.now() + inputs.timeouts.ready * 1000;
    try {
        for (;;) {
            const submitted = await submitOnce(inputs, waiting).catch((error: unknown) =>
                overcome(error, waiting, deadline),
            );
            if (submitted !== undefined) {
                return submitted;
            }
        }
    } catch (error) {
        throw new Error(`The job can't be submitted to MiniCluster ${namespace}/${name}: ${sentence(error)}.`, {
            cause: error,
        });
    }
}

async function submitOnce(inputs: FluxSubmissionInputs, waiting: Waiting) {
    const lead = await awaitLead(waiting, inputs.timeouts.ready);
    if (lead.state !== "ready") {
        throw new Error(lead.state === "ended" ? "it has ended, so it takes no jobs" : "it is not there");
    }
    const jobId = await withGrace(waiting.signal, SUBMIT_GRACE, (signal) => {
        return new Queue(waiting.kube, lead.container, signal).submit(inputs);
    });
    return { jobId, uid: lead.uid };
}

type Known = Pick<FluxSubmissionOutputs, "clusterUid" | "jobId">;

function outputs(inputs: FluxSubmissionInputs, known: Known, record: JobRecord): FluxSubmissionOutputs {
    return defined({ ...inputs, ...known, ...record, schemaVersion: SCHEMA_VERSION });
}

/** Waits for the job where that is asked for. What doesn't succeed is kept all the same. */
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
    const ended = await awaitEnd({ ...waiting, cluster }, key, { ...timeouts, maxBytes }).catch((error: unknown) => {
        const message = `Flux job ${known.jobId} of MiniCluster ${cluster.namespace}/${cluster.name} can't be followed: ${sentence(error)}.`;
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

/** What is to be said of a job now; undefined where it is gone with its cluster. */
async function currentRecord(kube: Kube, props: FluxSubmissionOutputs): Promise<JobRecord | undefined> {
    const { exitCode, jobId, maxBytes, nonce, output, phase, reason } = props;
    const known: JobRecord = { exitCode, output, phase, reason };
    const finished = isFinished(props);
    const lead = await findLead(kube, ...placeOf(props));
    if (lead.state === "gone" || (lead.state === "ended" && !finished)) {
        return undefined;
    }
    // What has ended can't change any more, even where nobody remembers it.
    if (lead.state !== "ready" || finished) {
        return known;
    }
    const queue = new Queue(kube, lead.container, cancellation());
    const progress = await retry(() => queue.watch({ jobId, nonce }, "", 0));
    if (progress === undefined) {
        return undefined;
    }
    const text = progress.over ? await queue.output({ jobId, nonce }, maxBytes) : output;
    return { exitCode: progress.exitCode, output: text, phase: progress.phase, reason: progress.reason };
}
