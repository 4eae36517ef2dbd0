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
import type { IndexedJobInputs } from "./properties";

const CURE = 'Wait until the command ends, or set interrupt to "allow" to end it.';

/** The refusal of an update that would end a running command; undefined for any other update. */
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
    return effect === undefined ? undefined : `This change ${effect}, but the Job's command ${running}. ${CURE}`;
}

/** The effect of a patch that ends a running command; undefined if the patch doesn't end it. */
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

/** Kubernetes' default of `backoffLimit`. @see https://kubernetes.io/docs/concepts/workloads/controllers/job/ */
const DEFAULT_BACKOFF_LIMIT = 6;

/** How fields of a patch end a command; null removes a field. */
const ENDINGS: readonly ((patch: KubernetesObject, job: V1Job, now: Date) => string | undefined)[] = [
    ({ suspend }) => (suspend === true ? "suspends the Job" : undefined),
    ({ parallelism: size }, { spec }) => {
        const ranks = spec?.parallelism ?? 0;
        return size < ranks ? `removes ${ranks - size} of the Job's ${ranks} ranks (size ${size})` : undefined;
    },
    ({ activeDeadlineSeconds: limit }, { status }, now) => {
        const seconds = (now.getTime() - new Date(status?.startTime ?? now).getTime()) / 1000;
        const over = typeof limit === "number" && limit <= seconds;
        return over ? `sets a deadline that has passed (activeDeadlineSeconds ${limit})` : undefined;
    },
    ({ backoffLimit: limit }, { status }) => {
        const failed = status?.failed ?? 0;
        const exceeded = limit !== undefined && failed > (limit ?? DEFAULT_BACKOFF_LIMIT);
        return exceeded ? `allows fewer failures than the Job's ${failed} so far (backoffLimit)` : undefined;
    },
];

/**
 * Why a Job must not be deleted in this update; undefined if it may be deleted. Without `olds`, Pulumi either continues
 * an interrupted creation, and so adopts this Job, or replaces it on the user's request (`--replace`,
 * `--target-replace`, `pulumi state taint`). Only a replacement begins with a delete.
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

/** True if no command runs, or if running commands may be ended. */
export function mayBeEnded(job: V1Job, { interrupt }: IndexedJobInputs, now: Date): boolean {
    return interrupt === "allow" || describeRun(job, now) === undefined;
}

/** Describes how long a command has been running, and in how many pods; undefined if none runs. */
function describeRun(job: V1Job | undefined, now: Date): string | undefined {
    const since = runningSince(job);
    if (job === undefined || since === undefined) {
        return undefined;
    }
    const seconds = (now.getTime() - since.getTime()) / 1000;
    return `has been running for ${describeSeconds(seconds)} in ${job.status?.active ?? 0} pods`;
}

/** Since when a command has been running; undefined if none runs. */
function runningSince(job: V1Job | undefined): Date | undefined {
    const since = job?.status?.startTime;
    if (job === undefined || since === undefined || ending(job) !== undefined || !hasCommand(job)) {
        return undefined;
    }
    // A Job without ready pods loses nothing, and mostly is the reason for the change.
    return (job.status?.ready ?? 0) > 0 ? new Date(since) : undefined;
}

/** False for a persistent cluster. The jobs on it are not counted: they are the responsibility of its users. */
function hasCommand(job: V1Job): boolean {
    const flux = job.spec?.template.spec?.containers.find(({ name }) => name === FLUX_CONTAINER);
    return (flux?.args ?? []).length > 0;
}

/** True if the change is sure to replace the Job; in other cases, `diff` decides. */
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

/** True if `create` adopts the live Job, because an interrupted update has created it. */
function isWanted(job: V1Job, news: IndexedJobInputs): boolean {
    return !isUnknown(identityOf(news)) && claim(job, completeJob({ ...news, rerun: rerunOf(job) })).kind === "same";
}

function identityOf({ lead, manifest, nonce, secretVersion, triggers }: IndexedJobInputs): unknown {
    return { lead, manifest, nonce, secretVersion, triggers };
}
