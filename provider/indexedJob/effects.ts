import type { V1Job } from "@kubernetes/client-node";

import type { KubernetesObject } from "../contract/object";
import { claim } from "../kube/ownership";
import { isHeld } from "../kube/sleep";
import { isQueued, keepsPods } from "../queue/queuedJob";
import { isUnknown } from "../unknown";
import { isPatched, replacements } from "./diff";
import { completeJob, rerunOf } from "./identity";
import { jobPatch } from "./patch";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** The arguments of `check`. */
export interface Change {
    readonly olds: Partial<IndexedJobInputs>;
    readonly news: IndexedJobInputs;
}

/** True if a preview doesn't know all values that decide whether the update changes the Job in place or replaces it. */
export function isUncertain({ files, lead, manifest, nonce, secretVersion, triggers }: IndexedJobInputs): boolean {
    return isUnknown({ files, lead, manifest, nonce, secretVersion, triggers });
}

/** How a change ends pods: all, or those from a rank on. */
export interface Effect {
    readonly text: string;
    readonly from: number;
    readonly isReplacement?: boolean;
}

/** The effect of a change; undefined if it ends no pod. */
export function effectOf(job: V1Job, { news, olds }: Change, now: Date): Effect | undefined {
    return isReplaced(job, olds, news)
        ? { text: "replaces the Job", from: 0, isReplacement: true }
        : endingChange(job, olds, news, now);
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
    return !isUnknown(identityOf(news)) && claim(job, completeJob({ ...news, rerun: rerunOf(job) })) === "same";
}

function identityOf({ lead, manifest, nonce, secretVersion, triggers }: IndexedJobInputs): unknown {
    return { lead, manifest, nonce, secretVersion, triggers };
}
