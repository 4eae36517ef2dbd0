import { isDeepStrictEqual } from "node:util";

import type { V1Job } from "@kubernetes/client-node";

import { FLUX_CONTAINER } from "../contract/names";
import type { KubernetesObject } from "../contract/object";
import { describeSeconds } from "../duration";
import { ending } from "../kube/job";
import { claim } from "../kube/ownership";
import { isUnknown } from "../unknown";
import { isPatched } from "./diff";
import { completeJob, immutablePart, rerunOf } from "./identity";
import { jobPatch } from "./patch";
import type { IndexedJobInputs } from "./resource";

const CURE = 'Wait for its end, or set interrupt to "allow" to end it.';

/** Says what an update would end, where it would end a running command; undefined where it doesn't. */
export function interruption(
    job: V1Job | undefined,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
    now: Date,
): string | undefined {
    const running = describeRun(job, now);
    if (job === undefined || running === undefined || news.interrupt === "allow") {
        return undefined;
    }
    const effect = isReplaced(job, olds, news) ? "replaces the Job" : endingPatch(job, olds, news, now);
    return effect === undefined ? undefined : `This change ${effect}, and its command ${running}. ${CURE}`;
}

/** What of a patch ends a running command; undefined where nothing does. */
function endingPatch(
    job: V1Job,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
    now: Date,
): string | undefined {
    if (olds.manifest === undefined || isUnknown(news.manifest) || !isPatched(olds as IndexedJobInputs, news)) {
        return undefined;
    }
    const spec: KubernetesObject = jobPatch(olds.manifest, news, job)?.spec ?? {};
    return ENDINGS.map((describe) => describe(spec, job, now)).find((effect) => effect !== undefined);
}

/** The limit of failures where none is given. @see https://kubernetes.io/docs/concepts/workloads/controllers/job/ */
const DEFAULT_BACKOFF_LIMIT = 6;

/** How fields of a patch end a command; null removes a field. */
const ENDINGS: readonly ((patch: KubernetesObject, job: V1Job, now: Date) => string | undefined)[] = [
    ({ suspend }) => (suspend === true ? "suspends the Job" : undefined),
    ({ parallelism: size }, { spec }) => {
        const ranks = spec?.parallelism ?? 0;
        return size < ranks ? `takes ${ranks - size} of the Job's ${ranks} ranks away (size ${size})` : undefined;
    },
    ({ activeDeadlineSeconds: limit }, { status }, now) => {
        const seconds = (now.getTime() - new Date(status?.startTime ?? now).getTime()) / 1000;
        const over = typeof limit === "number" && limit <= seconds;
        return over ? `sets a deadline that is over (activeDeadlineSeconds ${limit})` : undefined;
    },
    ({ backoffLimit: limit }, { status }) => {
        const failed = status?.failed ?? 0;
        const exceeded = limit !== undefined && failed > (limit ?? DEFAULT_BACKOFF_LIMIT);
        return exceeded ? `allows fewer failures than the Job's ${failed} so far (backoffLimit)` : undefined;
    },
];

/**
 * Says why a Job must not be deleted in this update; undefined where it may be. Without `olds`, Pulumi either continues
 * a creation that was interrupted, and so adopts this Job, or replaces it because the user has said so (`--replace`,
 * `--target-replace`, `pulumi state taint`). Only the latter begins with a delete.
 */
export function deletionRefusal(
    job: V1Job | undefined,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
    now: Date,
): string | undefined {
    const running = describeRun(job, now);
    if (running === undefined || news.interrupt === "allow" || olds.manifest !== undefined) {
        return undefined;
    }
    const { name, namespace } = news.manifest.metadata;
    return `Job ${namespace}/${name} is not replaced, because its command ${running}. ${CURE}`;
}

/** True where no command runs that is to be left alone. */
export function mayBeEnded(job: V1Job, { interrupt }: IndexedJobInputs, now: Date): boolean {
    return interrupt === "allow" || describeRun(job, now) === undefined;
}

/** How long a command has been running, and on how much; undefined where none runs. */
function describeRun(job: V1Job | undefined, now: Date): string | undefined {
    const since = runningSince(job);
    if (job === undefined || since === undefined) {
        return undefined;
    }
    const seconds = (now.getTime() - since.getTime()) / 1000;
    return `has been running for ${describeSeconds(seconds)} in ${job.status?.active ?? 0} pods`;
}

/** Since when a command runs; undefined where none does. */
function runningSince(job: V1Job | undefined): Date | undefined {
    const since = job?.status?.startTime;
    if (job === undefined || since === undefined || ending(job) !== undefined || !hasCommand(job)) {
        return undefined;
    }
    // A Job whose pods never came up has nothing to lose, and mostly is what the change is for.
    return (job.status?.ready ?? 0) > 0 ? new Date(since) : undefined;
}

/** A cluster that stays has no command to interrupt; jobs on it are its users' own. */
function hasCommand(job: V1Job): boolean {
    const flux = job.spec?.template.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    return (flux?.args ?? []).length > 0;
}

/** Only what is known for sure to replace the Job; the rest is `diff`'s to decide. */
function isReplaced(job: V1Job, olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): boolean {
    if (isWanted(job, news)) {
        return false;
    }
    if (olds.manifest === undefined) {
        return !isUnknown(identityOf(news));
    }
    const same = [
        isUnknown(news.manifest) || isDeepStrictEqual(immutablePart(olds.manifest), immutablePart(news.manifest)),
        isUnknown(news.nonce) || olds.nonce === news.nonce,
        isUnknown(news.secretVersion) || olds.secretVersion === news.secretVersion,
        isUnknown(news.triggers) || isDeepStrictEqual(olds.triggers ?? [], news.triggers ?? []),
    ];
    return same.includes(false);
}

/** True where `create` adopts the live Job: an interrupted update has made it already. */
function isWanted(job: V1Job, news: IndexedJobInputs): boolean {
    return !isUnknown(identityOf(news)) && claim(job, completeJob({ ...news, rerun: rerunOf(job) })).kind === "same";
}

function identityOf({ lead, manifest, nonce, secretVersion, triggers }: IndexedJobInputs): unknown {
    return { lead, manifest, nonce, secretVersion, triggers };
}
