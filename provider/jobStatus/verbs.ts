import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { cancellation } from "../engine/cancel";
import { reporter } from "../engine/log";
import { formatId, type JobId, parseId } from "../indexedJob/identity";
import { connect, type Kube } from "../kube/client";
import { announce, type Announcement } from "../kube/announce";
import { hasCode, sentence } from "../kube/failure";
import { condition, ending } from "../kube/job";
import { isForgettable, withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { defined, partialFailure, pick, type Verbs } from "../verbs";
import { describeFailure } from "./failure";
import { record, recordOf } from "./record";
import { INPUT_NAMES, type JobStatusInputs, type JobStatusOutputs, type Phase, type Recorded } from "./resource";
import { type Waited, waitForJob } from "./wait";

const SCHEMA_VERSION = 1;

/*
 * create  waits and keeps what it saw; a failed wait is kept as well
 * diff    waits again for another Job, another size or an unreached goal
 * update  waits, or only takes over new settings
 * read    keeps what was recorded until the Job's phase is another
 * delete  has nothing to do
 */
export const jobStatus: Verbs<JobStatusInputs, JobStatusOutputs> = {
    async check(_olds, news) {
        return { inputs: news };
    },

    async diff(_id, olds, news) {
        return { changes: needsWait(olds, news) || !isDeepStrictEqual(settings(olds), settings(news)) };
    },

    async create(inputs) {
        const { name, namespace } = parseId(inputs.job);
        const id = `${namespace}/${name}`;
        return { id, outs: await awaitGoal(id, inputs) };
    },

    async update(id, olds, news) {
        return { outs: needsWait(olds, news) ? await awaitGoal(id, news, olds) : { ...news, ...recordedIn(olds) } };
    },

    async read(id, props) {
        const phase = await withAccess(props, isSameJob(props), (kube) => currentPhase(kube, parseId(props.job), props));
        const read = phase === props.phase ? props : { ...props, phase };
        return { id, props: defined(read), inputs: pick<JobStatusInputs>(props, INPUT_NAMES) };
    },

    async delete() {},
};

/** Without the inputs: one that is no longer given must not stay. */
function recordedIn(olds: JobStatusOutputs): Omit<JobStatusOutputs, keyof JobStatusInputs> {
    const inputs = [...INPUT_NAMES, "__provider"] as readonly string[];
    const entries = Object.entries(olds).filter(([name]) => !inputs.includes(name));
    return Object.fromEntries(entries) as unknown as Omit<JobStatusOutputs, keyof JobStatusInputs>;
}

function isSameJob(props: JobStatusOutputs): (kube: Kube) => Promise<boolean> {
    const { name, namespace } = parseId(props.job);
    return async (kube) => formatId(await kube.getJob(namespace, name)) === props.job;
}

/** The phases in which a wait has found what it waited for. */
function isReached({ phase, suspend, waitFor }: JobStatusOutputs): boolean {
    if (suspend) {
        return phase === "suspended";
    }
    const goals: Record<string, readonly Phase[]> = {
        completed: ["succeeded"],
        none: ["pending", "ready", "running", "starting", "succeeded", "suspended"],
        ready: ["ready", "running", "succeeded"],
    };
    return goals[waitFor]?.includes(phase) ?? false;
}

function needsWait(olds: JobStatusOutputs, news: JobStatusInputs): boolean {
    const subject = ({ job, size, suspend, waitFor }: JobStatusInputs) => [job, size, suspend, waitFor];
    return isUnknown(news.job) || !isReached(olds) || !isDeepStrictEqual(subject(olds), subject(news));
}

/** What changes without a wait; the URN only serves the progress lines. */
function settings(inputs: JobStatusInputs): unknown {
    const { autoscaled, context, ephemeral, kubeconfig, maxBytes, queued, secretOutput, timeouts } = inputs;
    return { autoscaled, context, ephemeral, kubeconfig, maxBytes, queued, secretOutput, timeouts };
}

async function awaitGoal(id: string, inputs: JobStatusInputs, before?: JobStatusOutputs): Promise<JobStatusOutputs> {
    const job = parseId(inputs.job);
    const kube = connect(inputs);
    const outputs = (recorded: Recorded) => defined({ ...inputs, ...recorded, schemaVersion: SCHEMA_VERSION });
    try {
        const waited = await waitForJob(kube, job, inputs, reporter(inputs.resourceUrn, job.name), cancellation());
        const { interrupted, last } = waited;
        const { ranks, recorded } = await recordWaited(kube, job, waited, inputs);
        if (interrupted) {
            const message = `The wait for ${job.name} was interrupted while it was ${last.phase}; the next update resumes it.`;
            throw partialFailure(message, id, outputs(recorded));
        }
        await announce(kube, job, announcement(waited, inputs, before));
        if (last.outcome === "failed") {
            const log = last.phase === "failed" || last.culprit?.rank === 0 ? recorded.output : "";
            const cause = last.failure ?? "";
            const message = describeFailure(cause, last.phase === "failed" ? ranks : [], log, inputs.secretOutput);
            throw partialFailure(`${job.name}: ${message}`, id, outputs(recorded));
        }
        return outputs(recorded);
    } catch (error) {
        if ("id" in (error as object)) {
            throw error;
        }
        const nothing: Recorded = { phase: "unknown", output: "", nodes: {}, timings: {}, slowest: "" };
        throw partialFailure(`Job ${job.namespace}/${job.name} can't be watched: ${sentence(error)}`, id, outputs(nothing));
    }
}

async function recordWaited(kube: Kube, job: JobId, { last, seen }: Waited, { maxBytes }: JobStatusInputs) {
    if (last.outcome === "failed" && seen.silence !== undefined) {
        return { ranks: seen.ranks(), recorded: recordOf(seen, last.phase, seen.ranks(), "") };
    }
    return record(kube, job, seen, last.phase, maxBytes);
}

/** What the Job's Events say; only the end of a wait is worth one. */
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
    const words: Partial<Record<Phase, string>> = { running: "Ready", succeeded: "Succeeded", suspended: "Suspended" };
    return { reason: words[phase] ?? "Created", message: line, warning: false, generation };
}

function readyWords({ job, size }: JobStatusInputs, before: JobStatusOutputs | undefined) {
    if (before?.job === job && before.size !== size) {
        return { reason: "Resized", message: `from ${before.size} to ${size} ranks` };
    }
    return { reason: "Ready", message: size === 1 ? "1 rank is in" : `${size} ranks are in` };
}

/** Somebody else has given a cluster that stays another size. */
function isResized({ spec }: V1Job, { autoscaled, phase, size }: JobStatusOutputs): boolean {
    return phase === "ready" && !autoscaled && spec?.parallelism !== size;
}

function phaseNow(job: V1Job, props: JobStatusOutputs): Phase {
    const { phase, queued } = props;
    const end = ending(job);
    if (end !== undefined) {
        return end.failed ? "failed" : "succeeded";
    }
    if (job.spec?.suspend && condition(job, "Suspended") !== undefined) {
        return queued ? "queued" : "suspended";
    }
    // That a command has ended is seen some seconds before the Job says so.
    return ["suspended", "queued", "gone"].includes(phase) || isResized(job, props) ? "starting" : phase;
}

/** The phase now, where it can have changed; pods that come and go are none of its business. */
async function currentPhase(kube: Kube, id: JobId, props: JobStatusOutputs): Promise<Phase> {
    try {
        const job = await kube.getJob(id.namespace, id.name);
        if (formatId(job) !== props.job) {
            return "gone";
        }
        return phaseNow(job, props);
    } catch (error) {
        if (hasCode(error, 404)) {
            return props.phase === "succeeded" || props.phase === "failed" ? props.phase : "gone";
        }
        if (isForgettable(error)) {
            return "gone";
        }
        throw new Error(`Job ${id.namespace}/${id.name} can't be read: ${sentence(error)}`, { cause: error });
    }
}
