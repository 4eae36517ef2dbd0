import type { V1Job } from "@kubernetes/client-node";

import { warner } from "../host/log";
import { BRIEFLY, connect, type Kube } from "../kubernetes/client";
import { apiFailure, isTransient, sentence } from "../kubernetes/failures/failure";
import { requireSameCluster } from "../kubernetes/sameCluster";
import { locate } from "../observe/job";
import { asleepSince } from "../kubernetes/sleep";
import { judgeInPlace, type Resize } from "../judge/queue/inPlace";
import { isSuspended } from "../judge/queue/queuedJob";
import { isUnknown } from "../host/unknown";
import type { CheckResult } from "../host/verbs";
import { type Start, startOf } from "./fit";
import { rerunOf } from "./identity";
import { type Change, isReplaced, isUncertain } from "./effects";
import { interruption, requested } from "./interruption";
import { setSilent } from "./betweenVerbs";
import { knownByNonce } from "./known";
import { growthWarning, ownJob, refuseForeign, refuseOldKubernetes, rerunReason } from "./preflight";
import type { IndexedJobInputs } from "./properties";

type Result = CheckResult<IndexedJobInputs>;

/** True if the credentials for an existing Job have changed: they may be those of another cluster. */
function isAccessChanged(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): boolean {
    const changed = olds.kubeconfig !== news.kubeconfig || olds.context !== news.context;
    return olds.manifest !== undefined && changed && !isUnknown([news.lead, news.manifest]);
}

/**
 * Checks the wanted inputs against the cluster. A preview must work without the cluster, so what can't be read decides
 * nothing here: before an update ends a command, it reads the Job again, and refuses if it can't.
 */
export async function checkLive(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): Promise<Result> {
    const inputs = { ...news, rerun: olds.rerun, wake: wakeBefore(olds, news) };
    try {
        const kube = connect(news, BRIEFLY);
        const all = [
            ownJob(kube, olds, news),
            judgeVersion(kube),
            judgeAccess(kube, olds, news),
            refuseForeign(kube, olds, news),
        ] as const;
        const start = startOf(all[0], { olds, news });
        // All requests run at the same time.
        await Promise.allSettled([...all, start]);
        const [live, ...judged] = all;
        await Promise.all(judged);
        const job = await live;
        setSilent(news, false);
        const { failures = [], ...result } = await judge(kube, job, { olds, news });
        return { ...result, failures: [...failures, ...refusalOf(await start, { olds, news })] };
    } catch (error) {
        setSilent(news, isTransient(error));
        if (isNoAnswer(error)) {
            warnUnread(olds, news, error);
            return { inputs };
        }
        // The failure names no property: the engine prints the value of a named property, even if it is a secret.
        return { inputs, failures: [{ property: "", reason: sentence(error) }] };
    }
}

/** True if the cluster gave no answer, or none that tells something about the arguments. */
function isNoAnswer(error: unknown): boolean {
    return apiFailure(error) !== undefined || isTransient(error) || (error as { cause?: unknown }).cause !== undefined;
}

/** Without an answer to the question, the version is taken as new enough: other requests tell more. */
async function judgeVersion(kube: Kube): Promise<void> {
    await refuseOldKubernetes(kube).catch(onlyFindings);
}

async function judgeAccess(kube: Kube, olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): Promise<void> {
    if (isAccessChanged(olds, news)) {
        await requireSameCluster(kube, news).catch(onlyFindings);
    }
}

function onlyFindings(error: unknown): void {
    if (!isNoAnswer(error)) {
        throw error;
    }
}

/** A preview takes an output without a value as unknown, so a cluster that may sleep has an empty text. */
export function wakeBefore(olds: Partial<IndexedJobInputs>, { sizedBy }: IndexedJobInputs): string | undefined {
    return olds.wake ?? (sizedBy === "cluster" ? "" : undefined);
}

/** Checks the wanted inputs against the live Job, if there is one. */
async function judge(kube: Kube, job: V1Job | undefined, change: Change): Promise<Result> {
    const { news, olds } = change;
    const now = kube.now();
    if (job === undefined) {
        await warnElsewhere(kube, change);
    }
    const { notes, refusal } = await interruption(kube, job, change, now);
    const request = notes.length > 0 || refusal !== undefined ? { notes } : await requested(kube, job, change, now);
    request.notes.forEach((note) => warn(change, note));
    warn(change, growthWarning(olds, news));
    warn(change, describeRequest(request.refusal));
    const inPlace = await judgeInPlace(kube, resizeOf(job, change));
    warn(change, inPlace.note);
    const failures = [
        ...(refusal === undefined ? [] : [{ property: "interrupt", reason: refusal }]),
        ...(inPlace.refusal === undefined ? [] : [{ property: "", reason: inPlace.refusal }]),
    ];
    const before = olds.manifest === undefined ? rerunOf(job) : olds.rerun;
    const wake = (isSuspended(news.manifest) ? undefined : asleepSince(job)) ?? wakeBefore(olds, news);
    return { inputs: { ...news, rerun: news.rerunFailed ? rerunReason(job, before) : before, wake }, failures };
}

function resizeOf(job: V1Job | undefined, { news, olds }: Change): Resize {
    const { manifest, sizedBy } = news;
    const live = isReplaced(job, olds, news) ? undefined : job;
    return { live, before: olds.manifest, manifest, sizedBy };
}

/** Refuses pods that don't start at once if the user wants that, and otherwise tells it. Obstacles may be gone until then. */
function refusalOf(start: Start | undefined, change: Change): NonNullable<Result["failures"]> {
    start?.obstacles.forEach((obstacle) => warn(change, obstacle));
    if (start === undefined || start.verdict.class === "now") {
        return [];
    }
    const { verdict } = start;
    if (change.news.fit !== "refuse" || !verdict.isRefusable) {
        warn(change, verdict.text);
        return [];
    }
    return [{ property: "fit", reason: `${verdict.text} To update anyway, set fit to "warn".` }];
}

function warn({ news, olds }: Change, text: string | undefined): void {
    if (text !== undefined) {
        warner(news.resourceUrn, (olds.manifest ?? news.manifest).metadata.name)(text);
    }
}

/** Only this warning shows in a preview that `delete` will fail. */
function describeRequest(refusal: string | undefined): string | undefined {
    return (
        refusal &&
        "If an interrupted update has left the Job, this update adopts it. If the Job is to be replaced (--replace, taint), " +
            `the update fails: ${refusal}`
    );
}

/** Says in the preview that the update will refuse to replace a Job that may be in another cluster. */
async function warnElsewhere(kube: Kube, { news, olds }: Change): Promise<void> {
    if (olds.manifest !== undefined && isReplaced(undefined, olds, news) && !isUnknown(news.lead)) {
        const answer = await locate(kube, knownByNonce("", olds as IndexedJobInputs));
        if (answer.where === "elsewhere") {
            warnUnread(olds, news, new Error(answer.why));
        }
    }
}

/** Says in the preview that the update may still refuse. */
function warnUnread(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs, error: unknown): void {
    if (olds.manifest === undefined || news.interrupt === "allow" || !isReplaced(undefined, olds, news)) {
        return;
    }
    const { name, namespace } = olds.manifest.metadata;
    warn(
        { olds, news },
        `This change replaces Job ${namespace}/${name}, which can't be read: ${sentence(error)}. The update reads it ` +
            "again, and refuses to replace it if its command or a Flux job runs, or if it still can't be read.",
    );
}

/** Says why a preview shows an update in place, which may turn out to be a replacement. */
export function warnUnknown(olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): void {
    if (olds.manifest === undefined || !isUncertain(news)) {
        return;
    }
    const { name, namespace } = olds.manifest.metadata;
    warn(
        { olds, news },
        `This preview doesn't know all values of Job ${namespace}/${name} yet, so it can't tell whether the update changes ` +
            "the Job in place, replaces it, or leaves it as it is. No update ends a running command or Flux job, unless " +
            "interrupt allows it.",
    );
}
