import type * as k8s from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../../provider/contract/labels";
import type { Kube } from "../../provider/kubernetes/client";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { awaitGone } from "../../provider/kubernetes/failures/gone";
import { condition } from "../../provider/kubernetes/job";
import { formatId, parseId } from "../../provider/kubernetes/jobId";
import { watchList } from "../../provider/kubernetes/watch";
import { type Pod, summarize } from "../../provider/observe/pods/pod";
import { removeObjects, type Subject } from "./subject";

/** Seconds from the creation of the Job to the end of each phase, as a client sees it. */
export type Phases = Partial<Record<Phase, number>>;
export const PHASES = [
    "accepted",
    "scheduled",
    "started",
    "ready",
    "quorum",
    "ended",
    "exited",
    "complete",
    "deleted",
] as const;
export type Phase = (typeof PHASES)[number];

/** Longest duration of a run in seconds; a longer run is a failure. */
const LIMIT_SECONDS = 120;

/** Creates a subject, watches it until its end and removes it. */
export async function measure(kube: Kube, namespace: string, subject: Subject): Promise<Phases> {
    const body = await subject.prepare(kube, namespace);
    const started = Date.now();
    const since = (at = Date.now()) => (at - started) / 1000;
    const created = await kube.createJob(namespace, body);
    const phases: Phases = { accepted: since() };
    await follow(kube, created, phases, since);
    const deleted = Date.now();
    const id = parseId(formatId(created));
    await kube.deleteJob(id.namespace, id.name, id.uid);
    await awaitGone(kube, "jobs", id, { timeoutSeconds: LIMIT_SECONDS, interrupted: new AbortController().signal });
    phases.deleted = (Date.now() - deleted) / 1000;
    await removeObjects(kube, namespace);
    return phases;
}

/** Watches a Job until its command has ended, or, without a command, until all pods are ready. */
async function follow(kube: Kube, job: k8s.V1Job, phases: Phases, since: (at?: number) => number): Promise<void> {
    const name = job.metadata?.name ?? "";
    const namespace = job.metadata?.namespace ?? "";
    const size = job.spec?.parallelism ?? 0;
    const hasSuccessPolicy = job.spec?.successPolicy !== undefined;
    const pods = new Map<string, Pod>();
    const stop = new AbortController();
    const timer = setTimeout(
        () => stop.abort(new Error(`${name} took longer than ${LIMIT_SECONDS} s`)),
        LIMIT_SECONDS * 1000,
    );
    const reached = (phase: Phase, holds: (pod: Pod) => boolean) => {
        if (phases[phase] === undefined && [...pods.values()].filter(holds).length === size) {
            phases[phase] = since();
        }
    };
    const look = (pod: k8s.V1Pod) => {
        const summary = summarize(pod);
        pods.set(summary.uid, summary);
        reached("scheduled", ({ node }) => node !== undefined);
        reached("started", ({ startedAt }) => startedAt !== undefined);
        reached("ready", ({ readyAt }) => readyAt !== undefined);
        if (summary.rank === 0 && summary.terminated !== undefined) {
            const { ended, quorum } = summary.terminated.marks;
            phases.quorum = quorum === undefined ? undefined : since(Number(quorum) * 1000);
            phases.ended = ended === undefined ? undefined : since(Number(ended) * 1000);
            phases.exited ??= since();
        }
        if (!hasSuccessPolicy && phases.ready !== undefined) {
            stop.abort();
        }
    };
    const lookAtJob = (live: k8s.V1Job) => {
        if (condition(live, "Complete") !== undefined) {
            phases.complete ??= since();
        }
        if (condition(live, "Failed") !== undefined) {
            stop.abort(new Error(`${name} failed`));
        }
        if (phases.complete !== undefined && phases.quorum !== undefined) {
            stop.abort();
        }
    };
    const selector = { namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` };
    await Promise.all([
        watchList<k8s.V1Pod>(kube, { kind: "pods", ...selector }, watcher(look), stop.signal),
        watchList<k8s.V1Job>(
            kube,
            { kind: "jobs", namespace, fieldSelector: `metadata.name=${name}` },
            watcher(lookAtJob),
            stop.signal,
        ),
    ]).finally(() => clearTimeout(timer));
    const { reason } = stop.signal;
    if (reason instanceof Error && reason.name === "Error") {
        throw new Error(`${reason.message}. ${await lastLines(kube, namespace, name)}`);
    }
}

/** The end of rank 0's log. */
async function lastLines(kube: Kube, namespace: string, name: string): Promise<string> {
    const { items } = await kube.core.listNamespacedPod({ namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` });
    const lead = items.find(({ metadata }) => metadata?.name?.startsWith(`${name}-0-`))?.metadata?.name;
    if (lead === undefined) {
        return "Rank 0 has no pod.";
    }
    const log = await kube.core.readNamespacedPodLog({ namespace, name: lead, tailLines: 20 }).catch(sentence);
    return `The log of ${lead} ends with:\n${log}`;
}

/** Looks at each object of a list and of a watch. */
export function watcher<T>(look: (object: T) => void) {
    return { present: look, gone: () => undefined, listed: (objects: readonly T[]) => objects.forEach(look) };
}
