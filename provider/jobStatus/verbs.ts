import { isDeepStrictEqual } from "node:util";

import { cancellation } from "../engine/cancel";
import { reporter } from "../engine/log";
import { announce, type Announcement } from "../kube/announce";
import { connect, type Kube } from "../kube/client";
import { sentence } from "../kube/failure";
import { formatId, type JobId, parseId } from "../kube/jobId";
import { withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { defined, partialFailure, pick, type Verbs } from "../verbs";
import { causeOf, describeFailure } from "./failure";
import { failureLog } from "./failureLog";
import { recordWaited } from "./record";
import { refreshed } from "./refresh";
import { INPUT_NAMES, type JobStatusInputs, type JobStatusOutputs, type Phase, type Recorded } from "./resource";
import { type Waited, waitForJob } from "./wait";

const SCHEMA_VERSION = 1;

/*
 * create  waits and keeps what it saw; a failed wait is kept as well
 * diff    waits again for another Job, another size or an unreached goal
 * update  waits, or only takes over new settings
 * read    keeps what was recorded until the phase is another; then it records what a wait would
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
        const read = await withAccess(props, isSameJob(props), (kube) => refreshed(kube, parseId(props.job), props));
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
function isReached({ ephemeral, phase, suspend, waitFor }: JobStatusOutputs): boolean {
    if (suspend) {
        // A command that has ended can't be held any more.
        return phase === "suspended" || (ephemeral && ["expired", "succeeded"].includes(phase));
    }
    const goals: Record<string, readonly Phase[]> = {
        completed: ["succeeded"],
        none: ["expired", "pending", "queued", "ready", "running", "starting", "succeeded", "suspended"],
        ready: ["expired", "ready", "running", "succeeded"],
    };
    return goals[waitFor]?.includes(phase) ?? false;
}

function needsWait(olds: JobStatusOutputs, news: JobStatusInputs): boolean {
    const subject = ({ job, size, suspend, waitFor }: JobStatusInputs) => [job, size, suspend, waitFor];
    const changed = isUnknown(news.job) || !isDeepStrictEqual(subject(olds), subject(news));
    // A Job that is not there may have expired only as long as it has a TTL: that is looked at for the last time.
    const losesTtl = olds.expires === true && news.expires !== true;
    return changed || losesTtl || !isReached(olds);
}

/** True where the TTL that the Job has, or had, may have removed it, whatever the arguments say now. */
function mayHaveExpired({ expires, job }: JobStatusInputs, before: JobStatusOutputs | undefined): boolean {
    return expires === true || (before?.job === job && (before.expires === true || before.phase === "expired"));
}

/** What changes without a wait; the URN only serves the progress lines. */
function settings(inputs: JobStatusInputs): unknown {
    const { autoscaled, context, ephemeral, expires, kubeconfig, maxBytes, queued, secretOutput, timeouts } = inputs;
    return { autoscaled, context, ephemeral, expires, kubeconfig, maxBytes, queued, secretOutput, timeouts };
}

/** What a wait comes to: it fails the update if there is a failure, and the record is kept all the same. */
interface Result {
    readonly recorded: Recorded;
    readonly failure?: string;
}

async function awaitGoal(id: string, inputs: JobStatusInputs, before?: JobStatusOutputs): Promise<JobStatusOutputs> {
    const job = parseId(inputs.job);
    const kube = connect(inputs);
    const outputs = (recorded: Recorded) => defined({ ...inputs, ...recorded, schemaVersion: SCHEMA_VERSION });
    const asked = { ...inputs, expires: mayHaveExpired(inputs, before) };
    try {
        const waited = await waitForJob(kube, job, asked, reporter(inputs.resourceUrn, job.name), cancellation());
        const { failure, recorded } =
            remembered(waited, inputs, before) ?? (await conclude(kube, job, waited, inputs, before));
        if (failure !== undefined) {
            throw partialFailure(failure, id, outputs(recorded));
        }
        return outputs(recorded);
    } catch (error) {
        if ("id" in (error as object)) {
            throw error;
        }
        const nothing: Recorded = { phase: "unknown", output: "", nodes: {}, timings: {}, slowest: "" };
        throw partialFailure(
            `Job ${job.namespace}/${job.name} can't be watched: ${sentence(error)}`,
            id,
            outputs(nothing),
        );
    }
}

/** What an earlier wait recorded of a Job that isn't there any more stays true. */
function remembered(
    { last }: Waited,
    { job }: JobStatusInputs,
    before: JobStatusOutputs | undefined,
): Result | undefined {
    if (before?.job !== job || (last.phase !== "gone" && last.phase !== "expired")) {
        return undefined;
    }
    const recorded = recordedIn(before);
    if (before.phase === "succeeded") {
        return { recorded };
    }
    if (before.phase === "failed") {
        return {
            recorded,
            failure: `${parseId(job).name}: The run failed, and its Job is gone. Change triggers to run it again.`,
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
    const { ranks, recorded } = await recordWaited(kube, job, waited, inputs);
    if (interrupted) {
        return {
            recorded,
            failure: `The wait for ${job.name} was interrupted while it was ${last.phase}; the next update resumes it.`,
        };
    }
    await announce(kube, job, announcement(waited, inputs, before));
    if (last.outcome !== "failed") {
        return { recorded };
    }
    const log = await failureLog(kube, job.namespace, waited, ranks, recorded.output);
    const cause = causeOf(last.failure ?? "", last.phase === "failed" ? ranks : []);
    return { recorded, failure: `${job.name}: ${describeFailure(cause, log, inputs)}` };
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
