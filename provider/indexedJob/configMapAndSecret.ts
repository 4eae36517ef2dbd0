import type { V1ConfigMap, V1Secret } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../contract/names";
import { compact, type KubernetesObject } from "../contract/object";
import { type Kube, type MountedKind, retry } from "../kube/client";
import { createOnce } from "../kube/creation";
import { hasCode, ifThere, sentence } from "../kube/failure";
import { isGone } from "../kube/gone";
import type { LeadService } from "../kube/leadService";
import { claim, hasNonce, owned, shortHash } from "../kube/ownership";
import { projectedTexts } from "./drift";
import { textsPatch } from "./patch";

/** What pods mount. States of earlier versions have none: there they are resources of the Kubernetes provider. */
export interface Mounts {
    /** The ConfigMap. */
    readonly files?: KubernetesObject;
    /** Null where there is none: that is how a secret Output of undefined arrives. */
    readonly secret?: KubernetesObject | null;
}

interface Owner extends Mounts {
    readonly lead: LeadService;
    readonly nonce: string;
    readonly secretVersion?: string;
}

/** A ConfigMap or a Secret in the cluster. */
type Live = V1ConfigMap | V1Secret;

/** Creates ConfigMap and Secret, or patches the labels and annotations of live ones. `before` is what was wanted last. */
export async function makeMounted(kube: Kube, owner: Owner, before: Mounts = {}): Promise<void> {
    for (const object of mountedBy(owner)) {
        const live = await explained("created", object, () => retry(() => makeOnce(kube, object, owner)));
        const last = mountedBy(before).find(({ kind }) => kind === object.kind);
        await explained("changed", object, () => patchTexts(kube, object, live, last?.metadata));
    }
}

/** Content can't be changed: another content has another ConfigMap, or another Job with another Secret. */
async function patchTexts(kube: Kube, object: KubernetesObject, live: Live, last?: KubernetesObject): Promise<void> {
    const { kind, name, namespace } = placeOf(object);
    const metadata = compact({
        annotations: textsPatch(last?.annotations, object.metadata.annotations, live.metadata?.annotations),
        labels: textsPatch(last?.labels, object.metadata.labels, live.metadata?.labels),
    });
    if (Object.keys(metadata).length > 0) {
        await kube.patchMounted(kind, namespace, name, { metadata: { ...metadata, uid: live.metadata?.uid } });
    }
}

/** What can be made while another Job is there: the ConfigMap has a name for each content, the Secret has but one. */
export function ahead(owner: Owner): Owner {
    return { ...owner, secret: undefined };
}

async function makeOnce(kube: Kube, object: KubernetesObject, owner: Owner): Promise<Live> {
    const { kind, namespace } = placeOf(object);
    const wanted = completeMounted(object, owner);
    const create = () => kube.createMounted(kind, namespace, wanted);
    const isWanted = (live: Live) => isSame(live, wanted);
    try {
        return await createOnce(wanted, { create, find: () => find(kube, object), isWanted });
    } catch (error) {
        if (!hasCode(error, 409)) {
            throw error;
        }
        const live = await find(kube, object);
        if (live !== undefined) {
            requireOurs(live, owner);
            await remove(kube, object, live);
        }
        return await create();
    }
}

/** One that was edited, or that was a destroyed cluster's of the same name and which Kubernetes is about to remove. */
function requireOurs(live: Live, { lead, nonce }: Owner): void {
    const owners = live.metadata?.ownerReferences ?? [];
    if (!hasNonce(live, nonce) && !owners.some(({ kind, name }) => kind === "Service" && name === lead.name)) {
        throw new Error("it exists and belongs to somebody else. Delete it, or give the MiniCluster another name.");
    }
}

/** What is mounted, as it is in the cluster; without content where it is gone, or isn't as it was made. */
export async function liveMounted(kube: Kube, owner: Owner): Promise<Mounts> {
    const look = async (object: KubernetesObject) => {
        const live = await explained("read", object, () => find(kube, object));
        const same = live !== undefined && isSame(live, completeMounted(object, owner));
        if (!same) {
            return { ...object, [object["stringData"] === undefined ? "data" : "stringData"]: {} };
        }
        return { ...object, metadata: projectedTexts(object.metadata, live.metadata) };
    };
    const { files, secret } = owner;
    return { files: files && (await look(files)), secret: secret && (await look(secret)) };
}

/** Finds what is this cluster's, and returns what removes it and nothing that has its name later. */
export async function removalOf(kube: Kube, owner: Mounts & Pick<Owner, "nonce">): Promise<() => Promise<void>> {
    const found: [KubernetesObject, Live][] = [];
    for (const object of mountedBy(owner)) {
        const live = await explained("read", object, () => find(kube, object));
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

/** The object to create: the manifest, marked as ours, and gone at the latest with the lead Service. */
export function completeMounted(object: KubernetesObject, { lead, nonce, secretVersion = "" }: Owner): Live {
    const { data, metadata, stringData, ...rest } = object;
    // Nobody may find out from a mark what a Secret holds.
    const content = stringData === undefined ? shortHash(JSON.stringify(data)) : secretVersion;
    const marks = { [ANNOTATIONS.nonce]: nonce, [ANNOTATIONS.specHash]: content };
    return { ...rest, metadata: owned(metadata, lead, marks), data: data ?? encoded(stringData) };
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
}

/** True where a live one is as it was made, which nobody can change, and isn't about to go. */
function isSame(live: Live, wanted: Live): boolean {
    const uids = (of: Live) => of.metadata?.ownerReferences?.map(({ uid }) => uid) ?? [];
    const isOwned = uids(wanted).every((uid) => uids(live).includes(uid));
    return claim(live, wanted).kind === "same" && isOwned && live.metadata?.deletionTimestamp === undefined;
}

function find(kube: Kube, object: KubernetesObject): Promise<Live | undefined> {
    const { kind, name, namespace } = placeOf(object);
    return ifThere(kube.getMounted(kind, namespace, name));
}

/** Does something with an object, and says of an error what could not be done. */
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
