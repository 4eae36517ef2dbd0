import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../contract/object";
import type { Kube } from "../kubernetes/client";
import { hasCode } from "../kubernetes/failures/failure";
import { isHeld } from "../kubernetes/sleep";
import { jobNamed } from "../observe/job";
import { hasArchiveOf } from "../observe/pods/archive";
import { isQueued, keepsPods } from "../judge/queue/queuedJob";
import { isUnknown } from "../host/unknown";
import { obstacleTo, workOf } from "./running";
import { BRIEF, MOST_TRIES, type Obstacle, THOROUGH, type Work } from "./work";

/** How a change ends pods: all, or those from a rank on. */
export interface Effect {
    readonly text: string;
    readonly from: number;
    readonly isReplacement?: boolean;
}

/** A JSON merge patch of a Job. */
export interface JobPatch {
    readonly metadata: KubernetesObject;
    readonly spec: KubernetesObject;
}

/** The effect of a patch of the Job's spec that ends pods; undefined for any other patch. */
export function endingEffect(spec: KubernetesObject, job: V1Job, now: Date): Effect | undefined {
    const effects = ENDINGS.map((describe) => describe(spec, job, now)).filter((effect) => effect !== undefined);
    return effects[0] && { text: effects[0].text, from: Math.min(...effects.map(({ from }) => from)) };
}

/** True if Kueue ends all pods of a running Job when its size changes. */
function isStoppedByResize(job: V1Job): boolean {
    return isQueued(job) && !isHeld(job) && !keepsPods(job);
}

const STOPPED =
    "resizes a Job that Kueue can't resize in place: Kueue ends all its pods, and the Job waits in its queue again";

/** Kubernetes' default of `backoffLimit`. @see https://kubernetes.io/docs/concepts/workloads/controllers/job/ */
const DEFAULT_BACKOFF_LIMIT = 6;

/** How fields of a patch end pods; null removes a field. */
const ENDINGS: readonly ((patch: KubernetesObject, job: V1Job, now: Date) => Effect | undefined)[] = [
    ({ parallelism: size }, job) => {
        const ends = size !== undefined && size !== job.spec?.parallelism && isStoppedByResize(job);
        return ends ? { text: STOPPED, from: 0 } : undefined;
    },
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

/** What the program wants of a Job. */
interface Wanted {
    readonly interrupt: string;
    readonly manifest: KubernetesObject;
}

/** What `check` says of an update that ends work. */
export interface Interruption {
    /** Why the update is refused. */
    readonly refusal?: string;
    /** What the update ends or loses without a refusal. */
    readonly notes: readonly string[];
}

/** Judges a change before an update: it may not end what runs unless `interrupt` allows it. Tells what else it ends. */
export async function judgeChange(
    kube: Kube,
    job: V1Job | undefined,
    { now, wanted, ...effect }: Effect & { readonly now: Date; readonly wanted: Wanted },
    refuse: (obstacle: Obstacle) => string = (obstacle) => refusal(effect, obstacle),
): Promise<Interruption> {
    const look = { now, seconds: BRIEF, from: effect.from, keepsQueue: keepsQueue(wanted, job) };
    const work = await workOf(kube, job, look);
    if (work === undefined) {
        return { notes: [] };
    }
    const isAllowed = wanted.interrupt === "allow";
    const { cure, running } = work;
    if (running !== undefined && !isAllowed) {
        return { refusal: refuse({ blocked: running, cure }), notes: notesOf(effect, { ...work, running: undefined }) };
    }
    return { notes: notesOf(effect, work, isAllowed) };
}

/** False if the wanted Job doesn't get the queue that the live one has saved. */
export function keepsQueue({ manifest }: Pick<Wanted, "manifest">, job: V1Job | undefined): boolean {
    return isUnknown(manifest) || (job !== undefined && hasArchiveOf(job, manifest));
}

function refusal({ text }: Effect, { blocked, cure }: Obstacle): string {
    return `This change ${text}, but the Job's ${blocked}. ${cure}`;
}

export function replacementRefusal(job: V1Job | undefined, { blocked, cure }: Obstacle): string {
    const { name, namespace } = job?.metadata ?? {};
    return `Job ${namespace}/${name} is not replaced, because its ${blocked}. ${cure}`;
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

/** A change of a Job in place. */
export interface InPlace {
    readonly interrupt: string;
    /** The patch of the Job as it is; undefined if nothing is left to change. */
    patch(job: V1Job): JobPatch | undefined;
}

/**
 * The patch of an update in place. Fails if it would end running work without permission. Such a patch has the
 * version of the Job that was judged, so that the API server refuses it for a Job that has started since.
 */
export async function permittedPatch(kube: Kube, job: V1Job, change: InPlace): Promise<JobPatch | undefined> {
    const patch = change.patch(job);
    const now = kube.now();
    const effect = patch && change.interrupt !== "allow" ? endingEffect(patch.spec, job, now) : undefined;
    if (patch === undefined || effect === undefined) {
        return patch;
    }
    const found = await obstacleTo(kube, job, { now, seconds: THOROUGH, from: effect.from });
    if (found !== undefined) {
        throw new Error(refusal(effect, found));
    }
    return { ...patch, metadata: { ...patch.metadata, resourceVersion: job.metadata?.resourceVersion } };
}

/**
 * Patches the Job as it was judged; judges it again if it has changed since. Returns the patch and the API server's
 * answer. Only a patch that ends pods has a version, and can meet a conflict because of it.
 */
export async function patchPermitted(
    kube: Kube,
    change: InPlace,
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
            patch = await permittedPatch(kube, job, change);
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
export async function mayBeEnded(kube: Kube, job: V1Job, { interrupt }: Pick<Wanted, "interrupt">): Promise<boolean> {
    return interrupt === "allow" || (await obstacleTo(kube, job, { now: kube.now(), seconds: THOROUGH })) === undefined;
}
