import { isDeepStrictEqual } from "node:util";

import type { KubernetesObject } from "../contract/object";
import { isUnknown, mayEqual, UNKNOWN } from "../host/unknown";
import type { DiffResult } from "../host/verbs";
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

/**
 * The inputs that replace the Job. An unknown one doesn't: if the engine deletes a resource before it replaces it, it
 * asks for the diff with unknown inputs and deletes the Job at once, although the Job may not change at all. It asks
 * again when the Job is registered. A replaced lead Service does: it owns the Job, so its deletion deletes the Job.
 */
export function replacements(olds: IndexedJobOutputs, news: IndexedJobInputs): string[] {
    const compared: [keyof IndexedJobInputs, unknown, unknown][] = [
        ["nonce", olds.nonce, news.nonce],
        ["secretVersion", olds.secretVersion, news.secretVersion],
        ["triggers", olds.triggers ?? [], news.triggers ?? []],
        ["rerun", olds.rerun, news.rerun],
        ["manifest", immutablePart(olds.manifest), whenKnown(news.manifest, immutablePart)],
    ];
    const changed = compared.filter(([, old, wanted]) => !mayEqual(old, wanted)).map(([name]) => name);
    if (changed.length === 0) {
        changed.push(...MOUNTED.filter((name) => isContentChanged(olds[name], news[name])));
    }
    if (!isDeepStrictEqual([olds.lead.uid, olds.lead.address], [news.lead.uid, news.lead.address])) {
        changed.push("lead");
    }
    // If its TTL has removed a failed Job, `check` found no reason for a rerun, because it gets no outputs.
    if (olds.failure !== undefined && news.rerunFailed && !changed.includes("rerun")) {
        changed.push("rerun");
    }
    return changed;
}

function whenKnown(object: KubernetesObject, part: (of: KubernetesObject) => unknown): unknown {
    return (object as unknown) === UNKNOWN ? UNKNOWN : part(object);
}

const MOUNTED = ["files", "secret"] as const;

/**
 * True if the content of a mounted object changes under its name, which only a transform can do. Pods that run would not
 * get the new content. A refresh records an object without content if the cluster doesn't have it.
 */
function isContentChanged(old: Mounted, wanted: Mounted): boolean {
    const [had, gets] = [contentOf(old), contentOf(wanted)];
    return Object.keys(had).length > 0 && Object.keys(gets).length > 0 && !mayEqual(had, gets);
}

type Mounted = KubernetesObject | null | undefined;

function contentOf(object: Mounted): Readonly<Record<string, unknown>> {
    return (isUnknown(object) ? undefined : (object?.["stringData"] ?? object?.["data"])) ?? {};
}

/**
 * The inputs that change in place. Left out are the URN, which only the progress lines use, and what only `check` uses:
 * `awaited`, `fit` and `minSize`.
 */
function kept(of: IndexedJobInputs): unknown {
    const { code, context, deleteTimeout, files, interrupt, kubeconfig, rerunFailed, secret, sizedBy, wake = "" } = of;
    const manifest = sizedBy && !isUnknown(of.manifest) ? withoutSize(of.manifest) : of.manifest;
    const others = { nonce: of.nonce, secretVersion: of.secretVersion, triggers: of.triggers ?? [] };
    const unknown = isUnknown(others) ? others : undefined;
    return {
        // Another path of the same files is no change.
        code: code && [code.hash, code.missing],
        context,
        deleteTimeout,
        files,
        interrupt,
        kubeconfig,
        manifest,
        rerunFailed,
        secret,
        sizedBy,
        unknown,
        wake,
    };
}
