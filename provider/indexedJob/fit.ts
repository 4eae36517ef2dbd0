import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../contract/object";
import { debug } from "../host/log";
import { admissionFor, type Survey, surveyFor, type Verdict, verdictOf, type Wish } from "../judge/fit/fit";
import { ending } from "../kubernetes/job";
import { asleepSince, heldBy, isHeld } from "../kubernetes/sleep";
import { isQueued, isSuspended, leastInQueue, queueOf } from "../judge/queue/queuedJob";
import { isUnknown } from "../host/unknown";
import { isInState } from "./betweenVerbs";
import { type Change, isReplaced } from "./effects";
import { obstaclesOf } from "./obstacles";
import { rerunReason } from "./preflight";
import type { IndexedJobInputs } from "./properties";

/** What a check says of the pods that an update starts. */
export interface Start {
    readonly verdict: Verdict;
    /** What keeps them from starting, whatever room there is. */
    readonly obstacles: readonly string[];
}

/**
 * Judges whether the pods can start that the update starts; undefined if it starts none, or if that can't be known. Reads the
 * cluster at the same time as the live Job, if the inputs alone tell that pods are started. Never fails.
 */
export async function startOf(live: Promise<V1Job | undefined>, change: Change): Promise<Start | undefined> {
    const look = (news: IndexedJobInputs, queue?: string) =>
        Promise.all([room(news, queue), admissionFor(news, news.manifest)]);
    return judgeStart(live, change, look, ([survey, admission], wish) => ({
        verdict: verdictIn(survey, wish, change),
        obstacles: obstaclesOf(change.news, survey, admission),
    }));
}

/** Judges only whether they fit, for a plan. */
export async function fitOf(live: Promise<V1Job | undefined>, change: Change): Promise<Verdict | undefined> {
    return judgeStart(live, change, room, (survey, wish) => verdictIn(survey, wish, change));
}

function room(news: IndexedJobInputs, queue: string | undefined): Promise<Survey> {
    const { metadata, spec } = news.manifest;
    return surveyFor(news, { namespace: metadata.namespace, template: spec.template, queue });
}

function verdictIn(seen: Survey, wish: Wish, { news }: Change): Verdict {
    const tell = debug(news.resourceUrn, wish.name);
    seen.unread.forEach(({ what, why }) => tell(`fit: ${what} left out: ${why}`));
    return verdictOf(wish, seen);
}

/** Judges the pods that are started by a look at the cluster. */
async function judgeStart<Seen, Judgement>(
    live: Promise<V1Job | undefined>,
    change: Change,
    look: (news: IndexedJobInputs, queue: string | undefined) => Promise<Seen>,
    judge: (seen: Seen, wish: Wish) => Judgement,
): Promise<Judgement | undefined> {
    const { news } = change;
    if (!isJudged(news)) {
        return undefined;
    }
    try {
        const early = keptPods(change, undefined) === undefined ? undefined : look(news, queueOf(news.manifest));
        const job = await live;
        const wish = wishOf(change, job);
        return wish && judge(await (early ?? look(news, wish.queue)), wish);
    } catch {
        // The check itself reports why the cluster can't be read.
        return undefined;
    }
}

function isJudged({ fit = "off", manifest, minSize }: IndexedJobInputs): boolean {
    return !isUnknown([fit, manifest, minSize]) && fit !== "off" && !isSuspended(manifest);
}

function wishOf(change: Change, job: V1Job | undefined): Wish | undefined {
    const { manifest, minSize = 1 } = change.news;
    const kept = keptPods(change, job);
    const added = manifest.spec.parallelism - (kept ?? 0);
    if (kept === undefined || added <= 0) {
        return undefined;
    }
    const { name, namespace } = manifest.metadata;
    const leastPods = leastInQueue(manifest);
    return {
        name,
        namespace,
        template: manifest.spec.template,
        added,
        kept,
        least: Math.min(minSize, added),
        queue: queueOf(manifest) ?? queueOf(job ?? {}),
        leastInQueue: leastPods === undefined ? undefined : Number(leastPods),
        removed: kept > 0 ? undefined : podsOf(job),
    };
}

function podsOf(job: V1Job | undefined): Wish["removed"] {
    const template = job?.spec?.template;
    return template && { template, count: job?.status?.active ?? 0 };
}

/**
 * Number of pods that the Job keeps when it starts others: none if it is created, replaced or resumed, all if it grows.
 * Undefined if it starts none.
 */
function keptPods(change: Change, job: V1Job | undefined): number | undefined {
    const { news, olds } = change;
    if (olds.manifest === undefined) {
        // The second check of a replacement has no `olds`, and the first one has judged it.
        return isInState(news) ? undefined : 0;
    }
    if (isReplaced(job, olds, news) || isRerun(change, job)) {
        return 0;
    }
    const isOver = job !== undefined && ending(job) !== undefined;
    if (isOver || isWaiting(news, job)) {
        return undefined;
    }
    return isStopped(olds.manifest, job) ? 0 : keptByGrowth(olds.manifest, news, job);
}

function isRerun({ news, olds }: Change, job: V1Job | undefined): boolean {
    return news.rerunFailed && rerunReason(job, olds.rerun) !== olds.rerun;
}

/** True if the update starts no pods. A queue's Job is created suspended, so only the live one tells whether they run. */
function isWaiting({ manifest }: IndexedJobInputs, job: V1Job | undefined): boolean {
    if (isQueued(manifest)) {
        return job === undefined || isHeld(job);
    }
    return manifest.spec.suspend || isHeldByQueue(job);
}

function isStopped(manifest: KubernetesObject, job: V1Job | undefined): boolean {
    if (isQueued(manifest)) {
        return false;
    }
    return manifest.spec.suspend || (job !== undefined && asleepSince(job) !== undefined);
}

/** True if Kueue holds a Job that it counts by its label alone: a webhook gave it the label of a default queue. */
function isHeldByQueue(job: V1Job | undefined): boolean {
    return job !== undefined && isHeld(job) && heldBy(job) === "queued";
}

function keptByGrowth(before: KubernetesObject, news: IndexedJobInputs, job: V1Job | undefined): number | undefined {
    const size = before.spec.parallelism;
    const grows = news.sizedBy === undefined && news.manifest.spec.parallelism > size;
    return grows ? (job?.spec?.parallelism ?? size) : undefined;
}
