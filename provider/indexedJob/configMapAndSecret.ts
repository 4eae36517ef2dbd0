import type { V1ConfigMap, V1Secret } from "@kubernetes/client-node";

import { liveCode, makeParts, type PartsOwner } from "../code/make";
import { otherParts, partsOf } from "../code/parts";
import { secretVersion as versionOf } from "../contract/curveKey";
import { ANNOTATIONS } from "../contract/labels";
import { compact, type KubernetesObject } from "../contract/object";
import { type Kube, type MountedKind, retry } from "../kubernetes/client";
import { createOnce } from "../kubernetes/creation";
import { hasCode, ifThere, sentence } from "../kubernetes/failures/failure";
import { isGone } from "../kubernetes/failures/gone";
import { claim, hasNonce, owned, shortHash } from "../kubernetes/ownership";
import { textsPatch } from "./patch";

/** The objects that pods mount. */
export interface Mounts {
    /** The ConfigMap. */
    readonly files?: KubernetesObject;
    /** Null if there is none, because a secret Output of undefined arrives as null. */
    readonly secret?: KubernetesObject | null;
}

interface Owner extends Mounts, PartsOwner {
    readonly secretVersion?: string;
    readonly markKey?: string;
}

/** A ConfigMap or a Secret in the cluster. */
type Live = V1ConfigMap | V1Secret;

/** Creates the parts of the code, the ConfigMap and the Secret unless they exist. */
export async function makeMounted(kube: Kube, owner: Owner): Promise<void> {
    await makeAll(kube, owner, mountedBy(owner));
}

/**
 * Creates what can be created beside another Job: the parts and the ConfigMap, whose names depend on their contents. The
 * ConfigMap of a Job that has the same one stays as it is.
 */
export async function makeAhead(kube: Kube, owner: Owner, beside?: Mounts): Promise<void> {
    const { files } = owner;
    const isOther = files !== undefined && files["metadata"].name !== beside?.files?.["metadata"].name;
    await makeAll(kube, owner, isOther ? [files] : []);
}

async function makeAll(kube: Kube, owner: Owner, objects: readonly KubernetesObject[]): Promise<void> {
    const make = (object: KubernetesObject) =>
        explained("created", object, () => retry(() => makeOnce(kube, object, owner)));
    await makeParts(owner, { find: (part) => read(kube, part), make });
    for (const object of objects) {
        await make(object);
    }
}

/**
 * Removes the parts of another code that failed and interrupted updates of this cluster have left. Call it when the Job has
 * the parts of `owner`, and the pods of earlier Jobs are gone.
 */
export async function removeLeftParts(kube: Kube, owner: Owner): Promise<void> {
    const { metadata } = owner.manifest as { metadata: { name: string; namespace: string } };
    try {
        const path = `/api/v1/namespaces/${metadata.namespace}/configmaps`;
        const query = { labelSelector: otherParts(metadata.name, owner.code) };
        const { items = [] } = await kube.read<{ items?: V1ConfigMap[] }>(path, query);
        for (const live of items.filter((part) => hasNonce(part, owner.nonce))) {
            const { name, namespace, uid = "" } = live.metadata as { name: string; namespace: string; uid?: string };
            await kube.deleteMounted("ConfigMap", namespace, name, uid);
        }
    } catch {
        // The Job exists. Without the right to list ConfigMaps, these parts are removed with the lead Service.
    }
}

/**
 * Patches the labels and annotations whose arguments changed since `before`, whatever a webhook or another client has
 * set. Content is never patched: for another content, there is another ConfigMap, or another Job and Secret.
 */
export async function patchMounted(kube: Kube, owner: Owner, before: Owner): Promise<void> {
    const last = mountedBy(before);
    await patchTexts(kube, mountedBy(owner), ({ kind }) => last.find((object) => object.kind === kind));
    await patchParts(kube, owner, before);
}

/** The same for the parts of a code that both have. */
export async function patchParts(kube: Kube, owner: Owner, before: Owner): Promise<void> {
    const parts = owner.code?.hash === before.code?.hash ? partsOf(owner) : [];
    await patchTexts(kube, parts, () => partsOf(before)[0]);
}

async function patchTexts(
    kube: Kube,
    objects: readonly KubernetesObject[],
    lastOf: (object: KubernetesObject) => KubernetesObject | undefined,
): Promise<void> {
    for (const object of objects) {
        const last = lastOf(object)?.["metadata"] ?? {};
        const { annotations, labels } = object["metadata"];
        const metadata = compact({
            annotations: textsPatch(last.annotations, annotations, last.annotations),
            labels: textsPatch(last.labels, labels, last.labels),
        });
        if (Object.keys(metadata).length > 0) {
            const { kind, name, namespace } = placeOf(object);
            await explained("changed", object, () => kube.patchMounted(kind, namespace, name, { metadata }));
        }
    }
}

async function makeOnce(kube: Kube, object: KubernetesObject, owner: Owner): Promise<void> {
    const { kind, namespace } = placeOf(object);
    const wanted = completeMounted(object, owner);
    const create = () => kube.createMounted(kind, namespace, wanted);
    const isWanted = (live: Live) => isSame(live, wanted);
    try {
        await createOnce(wanted, { create, find: () => find(kube, object), isWanted });
    } catch (error) {
        if (!hasCode(error, 409)) {
            throw error;
        }
        const live = await find(kube, object);
        if (live !== undefined) {
            requireOurs(live, owner);
            await remove(kube, object, live);
        }
        await create();
    }
}

/**
 * Refuses an object that doesn't belong to this MiniCluster. An object that was edited may be replaced, and one of a
 * destroyed cluster of the same name, which Kubernetes is about to remove.
 */
function requireOurs(live: Live, { lead, nonce }: Owner): void {
    const owners = live.metadata?.ownerReferences ?? [];
    if (!hasNonce(live, nonce) && !owners.some(({ kind, name }) => kind === "Service" && name === lead.name)) {
        throw new Error(
            "it exists and does not belong to this MiniCluster. Delete it, or give the MiniCluster another name.",
        );
    }
}

/**
 * The mounted objects as they are in the cluster; without content if they don't exist or differ from what was created.
 */
export async function liveMounted(kube: Kube, owner: Owner): Promise<Pick<Owner, "code" | "files" | "secret">> {
    const look = async (object: KubernetesObject) => {
        const live = await read(kube, object);
        const same = live !== undefined && isSame(live, completeMounted(object, owner));
        return same ? object : { ...object, [object["stringData"] === undefined ? "data" : "stringData"]: {} };
    };
    const { files, secret } = owner;
    return {
        code: await liveCode(owner, (part) => read(kube, part)),
        files: files && (await look(files)),
        secret: secret && (await look(secret)),
    };
}

/**
 * Finds the objects of this cluster, and returns the function that removes them, but no later objects of the same
 * names.
 */
export async function removalOf(kube: Kube, owner: Owner): Promise<() => Promise<void>> {
    const found: [KubernetesObject, Live][] = [];
    for (const object of [...mountedBy(owner), ...partsOf(owner)]) {
        const live = await read(kube, object);
        if (live !== undefined && hasNonce(live, owner.nonce)) {
            found.push([object, live]);
        }
    }
    return async () => {
        for (const [object, live] of found) {
            await explained("deleted", object, () => remove(kube, object, live));
        }
    };
}

async function remove(kube: Kube, object: KubernetesObject, { metadata }: Live): Promise<void> {
    const { kind, name, namespace } = placeOf(object);
    const uid = metadata?.uid ?? "";
    try {
        await kube.deleteMounted(kind, namespace, name, uid);
    } catch (error) {
        if (!(await isGone(error, uid, () => find(kube, object)))) {
            throw error;
        }
    }
}

/** The object to create: the manifest with this package's marks, and with the lead Service as its owner. */
export function completeMounted(object: KubernetesObject, owner: Owner): Live {
    const { lead, nonce } = owner;
    const { data, metadata, stringData, ...rest } = object;
    const content = stringData === undefined ? shortHash(JSON.stringify(data)) : secretMark(stringData, owner);
    const marks = { [ANNOTATIONS.nonce]: nonce, [ANNOTATIONS.specHash]: content };
    return { ...rest, metadata: owned(metadata, lead, marks), data: data ?? encoded(stringData) };
}

/**
 * The mark of a Secret: its version, which is no plain hash, from which its content could be guessed. If a transform has
 * changed the content, the version of the arguments is another one.
 */
function secretMark(texts: Readonly<Record<string, string>>, { markKey, secretVersion = "" }: Owner): string {
    return markKey ? versionOf(markKey, texts) : secretVersion;
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
}

/** True if a live object is as it was created, which is immutable, and isn't being deleted. */
function isSame(live: Live, wanted: Live): boolean {
    const uids = (of: Live) => of.metadata?.ownerReferences?.map(({ uid }) => uid) ?? [];
    const isOwned = uids(wanted).every((uid) => uids(live).includes(uid));
    return claim(live, wanted) === "same" && isOwned && live.metadata?.deletionTimestamp === undefined;
}

function find(kube: Kube, object: KubernetesObject): Promise<Live | undefined> {
    const { kind, name, namespace } = placeOf(object);
    return ifThere(kube.getMounted(kind, namespace, name));
}

function read(kube: Kube, object: KubernetesObject): Promise<Live | undefined> {
    return explained("read", object, () => find(kube, object));
}

/** Makes calls for an object. An error names the object and what could not be done with it. */
async function explained<T>(done: string, object: KubernetesObject, call: () => Promise<T>): Promise<T> {
    try {
        return await call();
    } catch (error) {
        const { kind, name, namespace } = placeOf(object);
        throw new Error(`${kind} ${namespace}/${name} can't be ${done}: ${sentence(error)}`, { cause: error });
    }
}

function mountedBy({ files, secret }: Mounts): KubernetesObject[] {
    return [files, secret].filter((object) => object !== undefined && object !== null);
}

function placeOf({ kind, metadata }: KubernetesObject): { kind: MountedKind; name: string; namespace: string } {
    return { kind, name: metadata.name, namespace: metadata.namespace };
}
