import type { V1Job } from "@kubernetes/client-node";

import { type Effect, endingEffect } from "../guard/guard";
import { claim } from "../kubernetes/ownership";
import { isUnknown } from "../host/unknown";
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
