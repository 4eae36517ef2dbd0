import { isDeepStrictEqual } from "node:util";

import { isUnknown } from "../unknown";
import type { DiffResult } from "../verbs";
import { immutablePart } from "./identity";
import type { IndexedJobInputs, IndexedJobOutputs } from "./resource";

/** What a change does: nothing, a patch, or a Job in place of the old one. */
export function diffJob(olds: IndexedJobOutputs, news: IndexedJobInputs): DiffResult {
    const replaces = replacements(olds, news);
    const changes = replaces.length > 0 || isPatched(olds, news);
    return { changes, replaces, deleteBeforeReplace: true };
}

/** True where anything changes that an update in place takes over. */
export function isPatched(olds: IndexedJobInputs, news: IndexedJobInputs): boolean {
    return !isDeepStrictEqual(kept(olds), kept(news));
}

function replacements(olds: IndexedJobOutputs, news: IndexedJobInputs): string[] {
    const compared: [keyof IndexedJobInputs, unknown, unknown][] = [
        ["nonce", olds.nonce, news.nonce],
        ["lead", [olds.lead.uid, olds.lead.address], [news.lead.uid, news.lead.address]],
        ["secretVersion", olds.secretVersion, news.secretVersion],
        ["triggers", olds.triggers ?? [], news.triggers ?? []],
        ["rerun", olds.rerun, news.rerun],
    ];
    const changed = compared.filter(([, old, wanted]) => !isDeepStrictEqual(old, wanted)).map(([name]) => name);
    // A failed Job that its TTL has removed: `check`, which gets no outputs, has found nothing to give as a reason.
    if (olds.failure !== undefined && news.rerunFailed && !changed.includes("rerun")) {
        changed.push("rerun");
    }
    return manifestForces(olds, news) ? [...changed, "manifest"] : changed;
}

/** An unknown manifest is taken for another one: what comes of it may only be less. */
function manifestForces(olds: IndexedJobOutputs, news: IndexedJobInputs): boolean {
    if (isUnknown(news.manifest)) {
        return true;
    }
    return !isDeepStrictEqual(immutablePart(olds.manifest), immutablePart(news.manifest));
}

/** What is kept in the state; the URN only serves the progress lines. */
function kept(of: IndexedJobInputs): unknown {
    const { autoscaled, context, deleteTimeout, files, interrupt, kubeconfig, manifest, rerunFailed, secret } = of;
    return { autoscaled, context, deleteTimeout, files, interrupt, kubeconfig, manifest, rerunFailed, secret };
}
