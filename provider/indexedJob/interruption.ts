import type { V1Job } from "@kubernetes/client-node";

import type { Kube } from "../kube/client";
import { hasCode } from "../kube/failure";
import { jobNamed } from "../observe/job";
import { isArchived } from "../pods/lead";
import { isUnknown } from "../unknown";
import { rememberTold, wasTold } from "./betweenVerbs";
import { type Change, type Effect, effectOf, endingEffect } from "./effects";
import { type JobPatch, jobPatch } from "./patch";
import type { IndexedJobInputs } from "./properties";
import { workOf } from "./running";
import { BRIEF, MOST_TRIES, obstacle, THOROUGH, type Work } from "./work";

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
    change: Change,
    now: Date,
): Promise<Interruption> {
    const { news, olds } = change;
    const effect = job === undefined || isTold(change) ? undefined : effectOf(job, change, now);
    if (effect === undefined) {
        return { notes: [] };
    }
    if (effect.isReplacement && olds.manifest !== undefined) {
        rememberTold(news);
    }
    const look = { now, seconds: BRIEF, from: effect.from, keepsQueue: keepsQueue(news) };
    const work = await workOf(kube, job, look);
    return judged(effect, work, news, (running, cure) => refusal(effect, running, cure));
}

/** Refuses to end what runs unless `interrupt` allows it, and tells the rest. */
function judged(
    effect: Effect,
    work: Work | undefined,
    { interrupt }: IndexedJobInputs,
    refuse: (running: string, cure: string) => string,
): Interruption {
    if (work === undefined) {
        return { notes: [] };
    }
    const isAllowed = interrupt === "allow";
    const { cure, running } = work;
    if (running !== undefined && !isAllowed) {
        return { refusal: refuse(running, cure), notes: notesOf(effect, { ...work, running: undefined }) };
    }
    return { notes: notesOf(effect, work, isAllowed) };
}

/** True for the second `check` of a replacement, of which the first one has said what it ends. */
function isTold({ news, olds }: Change): boolean {
    return olds.manifest === undefined && wasTold(news);
}

/** False if the wanted Job has no volume for the queue. */
export function keepsQueue({ manifest }: Pick<IndexedJobInputs, "manifest">): boolean {
    return isUnknown(manifest) || isArchived(manifest);
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
        unknown && `${change}. It isn't known which Flux jobs that ends: ${unknown}.${isAllowed ? "" : ` ${later}`}`,
    ].filter((note) => note !== undefined);
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
    const now = kube.now();
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

/**
 * Patches the Job as it was judged; judges it again if it has changed since. Returns the patch and the API server's
 * answer. Only a patch that ends pods has a version, and can meet a conflict because of it.
 */
export async function patchPermitted(
    kube: Kube,
    olds: IndexedJobInputs,
    news: IndexedJobInputs,
    judged: { readonly job: V1Job; readonly patch: JobPatch | undefined },
): Promise<{ readonly patch?: JobPatch; readonly answer?: V1Job }> {
    let { job, patch } = judged;
    for (let tries = 1; patch !== undefined; tries++) {
        try {
            const { name = "", namespace = "" } = job.metadata ?? {};
            return { patch, answer: await kube.patchJob(namespace, name, patch) };
        } catch (error) {
            const isOutdated = hasCode(error, 409) && patch.metadata["resourceVersion"] !== undefined;
            if (!isOutdated || tries >= MOST_TRIES) {
                throw error;
            }
            job = await sameJob(kube, job);
            patch = await permittedPatch(kube, olds, news, job);
        }
    }
    return {};
}

/** The Job as it is now. */
async function sameJob(kube: Kube, { metadata }: V1Job): Promise<V1Job> {
    const { name = "", namespace = "", uid } = metadata ?? {};
    const live = await jobNamed(kube, { namespace, name });
    if (live?.metadata?.uid !== uid || live === undefined) {
        throw new Error(
            `Job ${namespace}/${name} was deleted by another client. Run pulumi refresh, then update again.`,
        );
    }
    return live;
}

/** True if nothing runs, or if what runs may be ended. */
export async function mayBeEnded(kube: Kube, job: V1Job, { interrupt }: IndexedJobInputs): Promise<boolean> {
    if (interrupt === "allow") {
        return true;
    }
    const work = await workOf(kube, job, { now: kube.now(), seconds: THOROUGH });
    return work === undefined || obstacle(work) === undefined;
}

/**
 * What a replacement at the user's request would end. Without `olds`, Pulumi either continues an interrupted creation, and
 * so adopts this Job, or replaces it at that request (`--replace`, `--target-replace`, `pulumi state taint`).
 */
export async function requested(kube: Kube, job: V1Job | undefined, change: Change, now: Date): Promise<Interruption> {
    const { news, olds } = change;
    if (olds.manifest !== undefined || isTold(change)) {
        return { notes: [] };
    }
    const work = await workOf(kube, job, { now, seconds: BRIEF, keepsQueue: keepsQueue(news) });
    const effect = { text: "replaces the Job if --replace or a taint names it", from: 0 };
    return judged(effect, work, news, (running, cure) => replacementRefusal(job, running, cure));
}

export function replacementRefusal(job: V1Job | undefined, blocked: string, cure: string): string {
    const { name, namespace } = job?.metadata ?? {};
    return `Job ${namespace}/${name} is not replaced, because its ${blocked}. ${cure}`;
}
