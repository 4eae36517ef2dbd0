import { isDeepStrictEqual } from "node:util";

import { isUnknown } from "../unknown";
import type { DiffResult } from "../verbs";
import { immutablePart, withoutSize } from "./identity";
import type { IndexedJobInputs, IndexedJobOutputs } from "./properties";

/** The effect of a change: none, a patch, or a replacement of the Job. */
export function diffJob(olds: IndexedJobOutputs, news: IndexedJobInputs): DiffResult {
    const replaces = replacements(olds, news);
    const changes = replaces.length > 0 || isPatched(olds, news);
    return { changes, replaces, deleteBeforeReplace: true };
}

/** True if an input has changed that an update in place records. */
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
    // If its TTL has removed a failed Job, `check` found no reason for a rerun, because it gets no outputs.
    if (olds.failure !== undefined && news.rerunFailed && !changed.includes("rerun")) {
        changed.push("rerun");
    }
    return manifestForces(olds, news) ? [...changed, "manifest"] : changed;
}

/** An unknown manifest counts as a replacement: the known one can only have a smaller effect. */
function manifestForces(olds: IndexedJobOutputs, news: IndexedJobInputs): boolean {
    if (isUnknown(news.manifest)) {
        return true;
    }
    return !isDeepStrictEqual(immutablePart(olds.manifest), immutablePart(news.manifest));
}

/** The inputs that change in place. The URN is left out: only the progress lines use it. */
function kept(of: IndexedJobInputs): unknown {
    const { autoscaled, context, deleteTimeout, files, interrupt, kubeconfig, rerunFailed, secret, wake = "" } = of;
    const manifest = autoscaled && !isUnknown(of.manifest) ? withoutSize(of.manifest) : of.manifest;
    return { autoscaled, context, deleteTimeout, files, interrupt, kubeconfig, manifest, rerunFailed, secret, wake };
}
