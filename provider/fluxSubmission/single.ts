import type { JobProgress } from "../flux/eventlog";
import type { Waiting } from "../flux/lead";
import { Queue, unreadable } from "../flux/queue";
import { submitJob } from "../flux/submission";
import type { Container } from "../kubernetes/streams/exec";
import { describeEnd, describeRecord, nameOf } from "./failure";
import { describeProgramProgress } from "../observe/live/progress";
import { JobResults } from "../results/jobResults";
import { FollowedJob, type JobView } from "./followedJob";
import type { FluxSubmissionInputs } from "./properties";
import { type Ids, runRecord } from "./runRecord";
import type { Begun, Work } from "./work";

/** Submits the job, or finds the one that an interrupted create has submitted. */
export async function submitSingle(inputs: FluxSubmissionInputs, waiting: Waiting): Promise<Begun> {
    const { jobId, mark, uid } = await submitJob(inputs, waiting, inputs.timeouts.ready);
    return { jobId, clusterUid: uid, lead: mark, record: { phase: "pending", output: "" } };
}

/** One job. */
export function single(
    { kube, signal, view }: Pick<Waiting, "kube" | "signal"> & { readonly view?: JobView },
    inputs: FluxSubmissionInputs,
    ids: Ids,
): Work<JobProgress> {
    const { jobId } = ids;
    const { maxBytes, nonce } = inputs;
    const [key, job] = [
        { jobId, nonce },
        { ...inputs, jobId },
    ];
    const followed = view && new FollowedJob(kube, key, view, signal);
    const queue = (lead: Container) => new Queue(kube, lead, signal);
    return {
        name: nameOf(job),
        look: (lead, seconds, last) => {
            const watch = (event: "clean" | "start") => queue(lead).watch(key, event, seconds);
            if (last?.phase !== "running") {
                return watch("start");
            }
            return followed?.look(lead, seconds, () => watch("clean")) ?? watch("clean");
        },
        close: async () => followed?.close(),
        peek: (lead) => queue(lead).watch(key, "", 0),
        finish: async (lead, progress) => ({ progress, output: await queue(lead).output(key, maxBytes) }),
        unread: (why) => (maxBytes === 0 ? "" : unreadable(`job ${jobId}`, why)),
        lost: () => undefined,
        describe: (progress) => `${jobId} ${progress?.phase === "running" ? "runs" : "waits for resources"}`,
        run: (lead) => queue(lead).run(key),
        remove: async (lead, guard) => {
            await queue(lead).remove(key, guard);
            if (inputs.keeps !== undefined) {
                // The job is gone. Copies of its files on the pods' disks must not keep its removal.
                await new JobResults(kube, lead, signal).drop(key).catch(() => undefined);
            }
            return 0;
        },
        recordOf: (progress, output) => ({
            exitCode: progress.exitCode,
            phase: progress.phase,
            reason: progress.reason,
            output,
            progress: progress.told && describeProgramProgress(progress.told),
            record: runRecord(inputs, ids, progress, output),
        }),
        unseen: (_begun, isLost) => ({ phase: isLost ? "lost" : "pending", output: "" }),
        describeEnd: (ended, phase) => describeEnd(ended, phase, job),
        describeRecord: (record) => describeRecord(record, job),
    };
}
