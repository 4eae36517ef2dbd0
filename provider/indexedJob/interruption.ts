import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../contract/object";
import type { Kube } from "../kube/client";
import { claim } from "../kube/ownership";
import { isUnknown } from "../unknown";
import { isPatched, replacements } from "./diff";
import { completeJob, rerunOf } from "./identity";
import { type JobPatch, jobPatch } from "./patch";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";
import { describeRun } from "./running";

export const CURE = 'Wait until the command ends, or set interrupt to "allow" to end it.';

/** The arguments of `check`. */
export interface Change {
    readonly olds: Partial<IndexedJobInputs>;
    readonly news: IndexedJobInputs;
}

/** The refusal of an update that would end a running command; undefined for any other update. */
export async function interruption(
    kube: Kube,
    job: V1Job | undefined,
    { news, olds }: Change,
    now: Date,
): Promise<string | undefined> {
    if (job === undefined || news.interrupt === "allow") {
        return undefined;
    }
    const effect = isReplaced(job, olds, news) ? "replaces the Job" : endingChange(job, olds, news, now);
    const running = effect === undefined ? undefined : await describeRun(kube, job, now);
    return running === undefined ? undefined : refusal(`This change ${effect}, but the Job's command ${running}.`);
}

function refusal(sentence: string): string {
    return `${sentence} ${CURE}`;
}

/** The effect of a change in place that ends a running command; undefined for any other change. */
function endingChange(
    job: V1Job,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
    now: Date,
): string | undefined {
    if (olds.manifest === undefined || isUnknown(news.manifest) || !isPatched(olds as IndexedJobInputs, news)) {
        return undefined;
    }
    return endingEffect(jobPatch(olds.manifest, news, job)?.spec ?? {}, job, now);
}

/** The effect of a patch of the Job's spec that ends a running command; undefined for any other patch. */
function endingEffect(spec: KubernetesObject, job: V1Job, now: Date): string | undefined {
    return ENDINGS.map((describe) => describe(spec, job, now)).find((effect) => effect !== undefined);
}

/**
 * The patch of an update in place. Fails if it would end a running command without permission. Such a patch has the
 * version of the Job that was judged, so that the API server refuses it for a Job that has started since.
 */
export async function permittedPatch(
    kube: Kube,
    { manifest }: IndexedJobInputs,
    news: IndexedJobInputs,
    job: V1Job,
): Promise<JobPatch | undefined> {
    const patch = jobPatch(manifest, news, job);
    const now = new Date();
    const effect = patch && news.interrupt !== "allow" ? endingEffect(patch.spec, job, now) : undefined;
    if (patch === undefined || effect === undefined) {
        return patch;
    }
    const running = await describeRun(kube, job, now);
    if (running !== undefined) {
        throw new Error(refusal(`This change ${effect}, but the Job's command ${running}.`));
    }
    return { ...patch, metadata: { ...patch.metadata, resourceVersion: job.metadata?.resourceVersion } };
}

/** True if no command runs, or if running commands may be ended. */
export async function mayBeEnded(kube: Kube, job: V1Job, { interrupt }: IndexedJobInputs): Promise<boolean> {
    return interrupt === "allow" || (await describeRun(kube, job, new Date())) === undefined;
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
 * Why a Job can't be replaced at the user's request; undefined if it can. Without `olds`, Pulumi either continues an
 * interrupted creation, and so adopts this Job, or replaces it at that request (`--replace`, `--target-replace`,
 * `pulumi state taint`).
 */
export async function requestRefusal(
    kube: Kube,
    job: V1Job | undefined,
    { news, olds }: Change,
    now: Date,
): Promise<string | undefined> {
    if (news.interrupt === "allow" || olds.manifest !== undefined) {
        return undefined;
    }
    const running = await describeRun(kube, job, now);
    return running === undefined ? undefined : replacementRefusal(job, running);
}

export function replacementRefusal(job: V1Job | undefined, running: string): string {
    const { name, namespace } = job?.metadata ?? {};
    return refusal(`Job ${namespace}/${name} is not replaced, because its command ${running}.`);
}

/** True if the change is sure to replace the Job; in other cases, `diff` decides. */
export function isReplaced(job: V1Job | undefined, olds: Partial<IndexedJobInputs>, news: IndexedJobInputs): boolean {
    if (job !== undefined && isWanted(job, news)) {
        return false;
    }
    if (olds.manifest === undefined) {
        return !isUnknown(identityOf(news));
    }
    // A failed Job, for which `rerun` changes, has no running command.
    const wanted = { ...news, rerun: olds.rerun, lead: isUnknown(news.lead) ? olds.lead : news.lead };
    return replacements(olds as IndexedJobOutputs, wanted as IndexedJobInputs).length > 0;
}

/** True if `create` adopts the live Job, because an interrupted update has created it. */
function isWanted(job: V1Job, news: IndexedJobInputs): boolean {
    return !isUnknown(identityOf(news)) && claim(job, completeJob({ ...news, rerun: rerunOf(job) })).kind === "same";
}

function identityOf({ lead, manifest, nonce, secretVersion, triggers }: IndexedJobInputs): unknown {
    return { lead, manifest, nonce, secretVersion, triggers };
}
