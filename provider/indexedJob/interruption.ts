import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../contract/object";
import type { Kube } from "../kube/client";
import { claim } from "../kube/ownership";
import { isUnknown } from "../unknown";
import { isPatched, replacements } from "./diff";
import { completeJob, rerunOf } from "./identity";
import { type JobPatch, jobPatch } from "./patch";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";
import { workOf } from "./running";
import { BRIEF, obstacle, THOROUGH, type Work } from "./work";

/** The arguments of `check`. */
export interface Change {
    readonly olds: Partial<IndexedJobInputs>;
    readonly news: IndexedJobInputs;
}

/** What `check` says of an update that ends work. */
export interface Interruption {
    /** Why the update is refused. */
    readonly refusal?: string;
    /** What the update ends or loses without a refusal. */
    readonly notes: readonly string[];
}

/** Judges what an update would end. */
export async function interruption(
    kube: Kube,
    job: V1Job | undefined,
    { news, olds }: Change,
    now: Date,
): Promise<Interruption> {
    const effect =
        job === undefined
            ? undefined
            : isReplaced(job, olds, news)
              ? { text: "replaces the Job", from: 0 }
              : endingChange(job, olds, news, now);
    const work = effect && (await workOf(kube, job, { now, seconds: BRIEF, from: effect.from }));
    if (effect === undefined || work === undefined) {
        return { notes: [] };
    }
    const isAllowed = news.interrupt === "allow";
    const { cure, running } = work;
    if (running !== undefined && !isAllowed) {
        return { refusal: refusal(effect, running, cure), notes: notesOf(effect, { ...work, running: undefined }) };
    }
    return { notes: notesOf(effect, work, isAllowed) };
}

function refusal({ text }: Effect, blocked: string, cure: string): string {
    return `This change ${text}, but the Job's ${blocked}. ${cure}`;
}

function notesOf({ text }: Effect, { isSilent, pending, running, unknown }: Work, isAllowed = false): string[] {
    const change = `This change ${text}`;
    const later = isSilent
        ? "The update asks again, and refuses the change if it gets no answer."
        : "The update doesn't refuse it for that.";
    return [
        running && `${change}, as interrupt allows: the Job's ${running}.`,
        pending && `${change}: ${pending}.`,
        unknown && `${change}. Which Flux jobs that ends isn't known: ${unknown}.${isAllowed ? "" : ` ${later}`}`,
    ].filter((note) => note !== undefined);
}

/** How a change ends pods: all, or those from a rank on. */
export interface Effect {
    readonly text: string;
    readonly from: number;
}

/** The effect of a change in place that ends pods; undefined for any other change. */
export function endingChange(
    job: V1Job,
    olds: Partial<IndexedJobInputs>,
    news: IndexedJobInputs,
    now: Date,
): Effect | undefined {
    if (olds.manifest === undefined || isUnknown(news.manifest) || !isPatched(olds as IndexedJobInputs, news)) {
        return undefined;
    }
    return endingEffect(jobPatch(olds.manifest, news, job)?.spec ?? {}, job, now);
}

/** The effect of a patch of the Job's spec that ends pods; undefined for any other patch. */
function endingEffect(spec: KubernetesObject, job: V1Job, now: Date): Effect | undefined {
    const effects = ENDINGS.map((describe) => describe(spec, job, now)).filter((effect) => effect !== undefined);
    return effects[0] && { text: effects[0].text, from: Math.min(...effects.map(({ from }) => from)) };
}

/**
 * The patch of an update in place. Fails if it would end running work without permission. Such a patch has the
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
    const work = await workOf(kube, job, { now, seconds: THOROUGH, from: effect.from });
    const blocked = work && obstacle(work);
    if (work !== undefined && blocked !== undefined) {
        throw new Error(refusal(effect, blocked, work.cure));
    }
    return { ...patch, metadata: { ...patch.metadata, resourceVersion: job.metadata?.resourceVersion } };
}

/** True if nothing runs, or if what runs may be ended. */
export async function mayBeEnded(kube: Kube, job: V1Job, { interrupt }: IndexedJobInputs): Promise<boolean> {
    if (interrupt === "allow") {
        return true;
    }
    const work = await workOf(kube, job, { now: new Date(), seconds: THOROUGH });
    return work === undefined || obstacle(work) === undefined;
}

/** Kubernetes' default of `backoffLimit`. @see https://kubernetes.io/docs/concepts/workloads/controllers/job/ */
const DEFAULT_BACKOFF_LIMIT = 6;

/** How fields of a patch end pods; null removes a field. */
const ENDINGS: readonly ((patch: KubernetesObject, job: V1Job, now: Date) => Effect | undefined)[] = [
    ({ suspend }) => (suspend === true ? { text: "suspends the Job", from: 0 } : undefined),
    ({ parallelism: size }, { spec }) => {
        const ranks = spec?.parallelism ?? 0;
        const text = `removes ${ranks - size} of the Job's ${ranks} ranks (size ${size})`;
        return size < ranks ? { text, from: size } : undefined;
    },
    ({ activeDeadlineSeconds: limit }, { status }, now) => {
        const seconds = (now.getTime() - new Date(status?.startTime ?? now).getTime()) / 1000;
        const over = typeof limit === "number" && limit <= seconds;
        return over ? { text: `sets a deadline that has passed (activeDeadlineSeconds ${limit})`, from: 0 } : undefined;
    },
    ({ backoffLimit: limit }, { status }) => {
        const failed = status?.failed ?? 0;
        const exceeded = limit !== undefined && failed > (limit ?? DEFAULT_BACKOFF_LIMIT);
        const text = `allows fewer failures than the Job's ${failed} so far (backoffLimit)`;
        return exceeded ? { text, from: 0 } : undefined;
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
    const { cure = "", running } = (await workOf(kube, job, { now, seconds: BRIEF })) ?? {};
    return running === undefined ? undefined : replacementRefusal(job, running, cure);
}

export function replacementRefusal(job: V1Job | undefined, blocked: string, cure: string): string {
    const { name, namespace } = job?.metadata ?? {};
    return `Job ${namespace}/${name} is not replaced, because its ${blocked}. ${cure}`;
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
