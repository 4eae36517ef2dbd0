import { type ArrayProgress, describeProgress, lostProgress } from "../flux/arrayProgress";
import { ArrayQueue } from "../flux/arrayQueue";
import { type Known, submitElements } from "../flux/arraySubmission";
import { arrayName, countOf } from "../flux/elements";
import type { Waiting } from "../flux/lead";
import { unreadable } from "../flux/queue";
import { allUnfinished, type Standing, standingOf, statusOf, withAgain } from "../flux/standing";
import type { Container } from "../kubernetes/streams/exec";
import { describeArrayEnd, describeRecord } from "./arrayFailure";
import { runsAgain } from "./arrayRerun";
import type { FluxSubmissionInputs, FluxSubmissionOutputs, JobRecord } from "./properties";
import type { Begun, Work } from "./work";

/** Submits all elements. */
export async function submitArray(inputs: FluxSubmissionInputs, waiting: Waiting): Promise<Begun> {
    const standing = allUnfinished(countOf(inputs));
    const wanted = { indexes: standing.unfinished, rerun: false, seconds: inputs.timeouts.ready };
    return begunWith(standing, await submitElements(inputs, waiting, wanted), inputs);
}

/** Submits the elements that are missing or run again. */
export async function submitMissing(
    olds: FluxSubmissionOutputs,
    news: FluxSubmissionInputs,
    waiting: Waiting,
): Promise<Begun> {
    const rerun = runsAgain(olds, news);
    const before = standingIn(olds.elements, olds);
    const standing = withAgain(before, rerun ? before.failed : new Set());
    const wanted = { indexes: standing.unfinished, rerun, seconds: news.timeouts.ready };
    const known = await submitElements(news, waiting, wanted);
    return begunWith(standing, { ...known, jobId: known.jobId ?? olds.jobId }, news);
}

function begunWith(standing: Standing, known: Known, inputs: FluxSubmissionInputs): Begun {
    const { incomplete, jobId = "", jobIds, mark, remaining, submitted, uid } = known;
    const count = countOf(inputs);
    const pending = standing.unfinished.size - remaining;
    const elements = statusOf(standing, { count, submitted, pending, running: 0 });
    return {
        jobId,
        // Flux may lose elements with rank 0, or run failed ones again: then these are other jobs.
        jobIds: jobIds.length === count ? jobIds : [],
        clusterUid: uid,
        lead: mark,
        record: { phase: "pending", elements, output: "" },
        incomplete,
    };
}

/** How the elements have ended by a record. Without a record, none has. */
function standingIn(recorded: JobRecord["elements"], inputs: FluxSubmissionInputs): Standing {
    return recorded === undefined ? allUnfinished(countOf(inputs)) : standingOf(recorded);
}

/** Elements that Flux has lost. */
const NONE = { submitted: 0, pending: 0, running: 0 };

/** An array whose elements have ended as the record says. */
export function array(
    { kube, signal }: Pick<Waiting, "kube" | "signal">,
    inputs: FluxSubmissionInputs,
    jobId: string,
    recorded: JobRecord["elements"],
): Work<ArrayProgress> {
    const known = standingIn(recorded, inputs);
    const queue = (lead: Container) => new ArrayQueue(kube, lead, signal);
    const name = arrayName(inputs);
    return {
        name: `The ${name}`,
        look: (lead, seconds, last) =>
            queue(lead).watch(inputs, seconds, last === undefined ? known : standingOf(last.elements)),
        peek: (lead) => queue(lead).watch(inputs, 0, known),
        finish: async (lead, progress) => {
            const { failures, output } = await queue(lead).logs(inputs, inputs.maxBytes);
            return { progress: withLogs(progress, failures), output };
        },
        unread: (why) => (inputs.maxBytes === 0 ? "" : unreadable(name, why)),
        lost: (last) => lostProgress(last?.elements ?? statusOf(known, { count: countOf(inputs), ...NONE })),
        describe: (progress) => (progress === undefined ? "waits" : describeProgress(progress.elements)),
        run: async (lead) => {
            const running = (await queue(lead).watch(inputs, 0))?.elements.running ?? 0;
            return running > 0 ? { elements: running } : undefined;
        },
        remove: (lead, guard) => queue(lead).remove(inputs, guard),
        recordOf: ({ elements, exitCode, jobIds, phase, reason, ...progress }, output) => ({
            phase,
            exitCode,
            reason,
            elements,
            output,
            jobId: progress.jobId ?? jobId,
            jobIds,
        }),
        unseen,
        describeEnd: (ended, phase) => describeArrayEnd(ended, phase, inputs),
        describeRecord: (record) => describeRecord(record, inputs),
    };
}

/** With the logs by index. A failure that Flux has forgotten keeps its recorded log. */
function withLogs(progress: ArrayProgress, logs: Readonly<Record<string, string>>): ArrayProgress {
    const { failures: before } = progress.elements;
    const failures = before.map((failure) => ({ ...failure, output: logs[failure.index] ?? failure.output }));
    return { ...progress, elements: { ...progress.elements, failures } };
}

/** The record of an array of which Flux has shown no element. */
export function unseen(begun: JobRecord, isLost: boolean): JobRecord {
    const count = begun.elements?.count ?? 0;
    return isLost ? { ...begun, phase: "lost", elements: statusOf(allUnfinished(count), { count, ...NONE }) } : begun;
}
