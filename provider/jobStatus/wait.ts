import type { CoreV1Event, V1Job, V1Pod } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../contract/labels";
import type { Kube } from "../kube/client";
import { sentence } from "../kube/failure";
import type { JobId } from "../kube/jobId";
import { followAddress } from "../kube/newAddress";
import { watchList } from "../kube/watch";
import { isClusterOf } from "../observe/job";
import { Observation } from "../pods/observation";
import { summarize } from "../pods/pod";
import type { ProgramProgress } from "../live/progress";
import { earliest } from "../pods/trouble";
import { watchWarnings } from "../pods/warningWatch";
import { watchQueue } from "../queue/watch";
import { Admission } from "./admission";
import { knownJob } from "./here";
import type { CommandOutput, Wait } from "./commandOutput";
import { ProgressReport } from "./progressReport";
import { Throttle } from "./throttle";
import type { JobStatusInputs } from "./properties";
import { type Progress, progress } from "./readiness";
import { Sharing } from "./sharing";
import { Standoff } from "./standoff";

/** How a wait ended. */
export interface Waited {
    readonly seen: Observation;
    readonly last: Progress;
    /** The user or the engine has interrupted the wait. */
    readonly interrupted: boolean;
    /** How far the command has said it is. */
    readonly progress?: ProgramProgress;
}

/** Prints a line; a warning stays among the diagnostics of the update. */
export type Report = (line: string, isWarning?: boolean) => void;

/** The means of a wait. */
export interface Means {
    readonly report: Report;
    readonly cancel: AbortSignal;
    /** Follows the output of the command. */
    readonly output?: (wait: Wait) => CommandOutput;
}

/** Watches a Job until its goal is reached or can't be reached any more. Reports each change. */
export async function waitForJob(
    kube: Kube,
    id: JobId,
    inputs: JobStatusInputs,
    { cancel, output: follow, report }: Means,
): Promise<Waited> {
    const seen = new Observation(id.uid, Date.now());
    const admission = new Admission();
    const sharing = new Sharing(inputs.countsNode);
    const stop = new AbortController();
    const end = AbortSignal.any([stop.signal, cancel]);
    const standoff = new Standoff(kube, id, (text) => report(text, true), end);
    let last: Progress = progress(seen, inputs, Date.now());
    const printed = new ProgressReport(report, inputs.size);
    let queue: Promise<void> | undefined;
    const throttle = new Throttle(() => {
        if (end.aborted) {
            return undefined;
        }
        last = progress(seen, inputs, Date.now(), last.timers);
        askQueue();
        const isListed = seen.jobListed && seen.podsListed;
        output?.look();
        const again = isListed ? printed.say(lineOf(last, output), last.outcome !== undefined) : undefined;
        const mutation = admission.take(seen.job, last);
        if (mutation !== undefined) {
            report(`admission has changed the pods: ${mutation.text}`, mutation.isGrave);
        }
        const shared = sharing.take(seen.ranks(), last, admission.hasQuota);
        if (shared !== undefined) {
            printed.interject(shared);
        }
        if (last.outcome !== undefined) {
            stop.abort();
            return undefined;
        }
        const apart = inputs.waitFor === "none" ? undefined : standoff.look(seen, Date.now());
        return earliest(last.wakeAt === undefined ? undefined : last.wakeAt + 10, again, apart);
    });
    const look = () => throttle.soon();
    const askQueue = () => {
        if (last.phase === "queued" && inputs.waitFor !== "none") {
            queue ??= reasons(kube, id, seen, look, end);
        }
    };
    const interject = (line: string) => printed.interject(line);
    const output = follow?.({ seen, changed: look, say: interject });
    const reachable = (watch: "jobs" | "pods") => (error: unknown) => {
        const silence = error === undefined ? undefined : sentence(error);
        seen.setAnswer(watch, silence, Date.now());
        if (silence !== undefined && watch === "jobs") {
            printed.interject(`the API server does not answer (${silence}); trying again`);
            void followAddress(kube, inputs, (next) => isClusterOf(next, knownJob(inputs)));
        }
        look();
    };
    try {
        const all = watches(kube, id, seen, { admission, interject, look, reachable }, end);
        await Promise.all([...all, output?.follow(stop.signal, cancel)]);
        await queue;
    } finally {
        throttle.end();
        stop.abort();
    }
    return { seen, last, interrupted: cancel.aborted && last.outcome === undefined, progress: output?.progress };
}

/** The progress line, while a command runs with what it has said. */
function lineOf({ line, outcome, phase }: Progress, output: CommandOutput | undefined): string {
    const words = phase === "running" && outcome === undefined ? output?.words : undefined;
    return words ? `${line}; ${words}` : line;
}

function reasons(kube: Kube, id: JobId, seen: Observation, look: () => void, end: AbortSignal): Promise<void> {
    const report = (reason: string | undefined) => {
        seen.queueReason = reason;
        look();
    };
    return watchQueue(kube, id, report, end);
}

interface Hooks {
    readonly admission: Admission;
    /** Prints a line between the progress lines. */
    interject(line: string): void;
    look(): void;
    reachable(watch: "jobs" | "pods"): (error: unknown) => void;
}

function watches(
    kube: Kube,
    id: JobId,
    seen: Observation,
    { admission, interject, look, reachable }: Hooks,
    end: AbortSignal,
): Promise<void>[] {
    const { name, namespace, uid } = id;
    const isOurs = (pod: V1Pod) => pod.metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
    const setJob = (job: V1Job | undefined) => {
        seen.job = job;
        seen.jobListed = true;
        look();
    };
    const setPods = (pods: readonly V1Pod[]) => {
        const ours = pods.filter(isOurs);
        ours.forEach((pod) => seen.setPod(summarize(pod), Date.now()));
        ours.forEach((pod) => admission.see(pod));
        look();
    };
    const concerns = ({ involvedObject: { kind, name: about, uid: object } }: CoreV1Event) =>
        object === uid || (kind === "Pod" && about?.startsWith(`${name}-`)) || kind === "PersistentVolumeClaim";
    return [
        watchList<V1Job>(
            kube,
            { kind: "jobs", namespace, fieldSelector: `metadata.name=${name}` },
            {
                listed: (jobs) => setJob(jobs.find((job) => job.metadata?.uid === uid)),
                present: (job) => (job.metadata?.uid === uid ? setJob(job) : undefined),
                gone: (job) => (job.metadata?.uid === uid ? setJob(undefined) : undefined),
                reachable: reachable("jobs"),
            },
            end,
        ),
        watchList<V1Pod>(
            kube,
            { kind: "pods", namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` },
            {
                listed: (pods) => {
                    seen.removePods();
                    seen.podsListed = true;
                    setPods(pods);
                },
                present: (pod) => setPods([pod]),
                gone: (pod) => {
                    seen.removePod(pod.metadata?.uid ?? "");
                    look();
                },
                reachable: reachable("pods"),
            },
            end,
        ),
        watchWarnings(kube, { namespace, concerns, report: interject }, seen, look, end),
    ];
}
