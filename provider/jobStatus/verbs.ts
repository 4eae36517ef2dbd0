import { isDeepStrictEqual } from "node:util";

import { cancellation } from "../engine/cancel";
import { reporter } from "../engine/log";
import { announce, type Announcement } from "../kube/announce";
import { connect, type Kube } from "../kube/client";
import { sentence } from "../kube/failure";
import { formatId, type JobId, parseId } from "../kube/jobId";
import { withAccess } from "../kube/unreachable";
import { isUnknown } from "../unknown";
import { defined, partialFailure, type Verbs } from "../verbs";
import { inputsOf } from "../inputs";
import { causeOf, describeFailure } from "./failure";
import { failureLog } from "./failureLog";
import { OUTPUTS, type JobStatusInputs, type JobStatusOutputs, type Phase, type Recorded } from "./properties";
import { recordWaited } from "./record";
import { refreshed } from "./refresh";
import { type Waited, waitForJob } from "./wait";

const SCHEMA_VERSION = 1;

/*
 * create  waits and records what it saw; also records a failed wait
 * diff    asks for another wait if the Job or the size has changed, or if the goal was not reached
 * update  waits, or only records new settings
 * read    keeps the record while the phase is the same; then records what a wait would record
 * delete  does nothing
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
        return { id, props: defined(read), inputs: inputsOf(props, OUTPUTS) };
    },

    async delete() {},
};

/** The outputs without the inputs, so that an input that was removed from the program doesn't stay. */
function recordedIn(olds: JobStatusOutputs): Omit<JobStatusOutputs, keyof JobStatusInputs> {
    const entries = Object.entries(olds).filter(([name]) => Object.hasOwn(OUTPUTS, name));
    return Object.fromEntries(entries) as unknown as Omit<JobStatusOutputs, keyof JobStatusInputs>;
}

function isSameJob(props: JobStatusOutputs): (kube: Kube) => Promise<boolean> {
    const { name, namespace } = parseId(props.job);
    return async (kube) => formatId(await kube.getJob(namespace, name)) === props.job;
}

/** True if the recorded phase is the goal of the wait. */
function isReached({ ephemeral, phase, suspend, waitFor }: JobStatusOutputs): boolean {
    if (suspend) {
        // A command that has ended can't be suspended any more.
        return phase === "suspended" || (ephemeral && ["expired", "succeeded"].includes(phase));
    }
    const goals: Record<string, readonly Phase[]> = {
        completed: ["succeeded"],
        none: ["asleep", "expired", "pending", "queued", "ready", "running", "starting", "succeeded", "suspended"],
        ready: ["expired", "ready", "running", "succeeded"],
    };
    return goals[waitFor]?.includes(phase) ?? false;
}

function needsWait(olds: JobStatusOutputs, news: JobStatusInputs): boolean {
    // Another client decides on the size of an autoscaled cluster.
    const { autoscaled } = news;
    const subject = ({ job, size, suspend, waitFor, wake }: JobStatusInputs) => [
        job,
        autoscaled || size,
        suspend,
        waitFor,
        wake,
    ];
    const changed = isUnknown(news.job) || !isDeepStrictEqual(subject(olds), subject(news));
    // A missing Job counts as expired only while it has a TTL. When the TTL is removed, the Job is looked at once more.
    const losesTtl = olds.expires === true && news.expires !== true;
    return changed || losesTtl || !isReached(olds);
}

/** True if the Job has or had a TTL that may have removed it, even if the current arguments set none. */
function mayHaveExpired({ expires, job }: JobStatusInputs, before: JobStatusOutputs | undefined): boolean {
    return expires === true || (before?.job === job && (before.expires === true || before.phase === "expired"));
}

/** The inputs that can change without a wait. Those that only the progress lines use are left out: the URN, `needsAllRanks`. */
function settings(inputs: JobStatusInputs): unknown {
    const { autoscaled, context, ephemeral, expires, kubeconfig, maxBytes, queued, secretOutput, timeouts } = inputs;
    return { autoscaled, context, ephemeral, expires, kubeconfig, maxBytes, queued, secretOutput, timeouts };
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

/** Keeps the record of an earlier wait for the same Job if the Job doesn't exist any more. */
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
    const { ranks, recorded } = await recordWaited(kube, job, waited, inputs);
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
    const log = await failureLog(kube, job.namespace, waited, ranks, recorded.output);
    const cause = causeOf(last.failure ?? "", last.phase === "failed" ? ranks : []);
    return { recorded, failure: `${job.name}: ${describeFailure(cause, log, inputs)}` };
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

function readyWords({ job, size, wake }: JobStatusInputs, before: JobStatusOutputs | undefined) {
    if (wake !== undefined) {
        return { reason: "Ready", message: "the lead takes jobs, and the cluster sizes itself" };
    }
    if (before?.job === job && before.size !== size) {
        return { reason: "Resized", message: `from ${before.size} to ${size} ranks` };
    }
    return { reason: "Ready", message: size === 1 ? "1 rank joined" : `${size} ranks joined` };
}
