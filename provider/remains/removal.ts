import { connect, type Kube } from "../kubernetes/client";
import { hasNonce } from "../kubernetes/ownership";
import { pause } from "../kubernetes/pause";
import { isSameServer } from "../kubernetes/sameCluster";
import { withAccess } from "../kubernetes/kubeconfig/unreachable";
import { jobNamed } from "../observe/job";
import { find, isKnown, remove } from "./objects";
import type { Placed, Remains } from "./properties";

/** Milliseconds between looks at an object that is being deleted, and the longest wait. */
const PAUSE = 200;
const LONGEST = 30_000;

/**
 * Removes an object that an interrupted creation has left, so that it can be created: the Kubernetes provider from 4.29
 * on creates none that exists. Leaves the objects of other owners, and those that a cluster needs which the state has lost.
 */
export async function removeRemains({ job, nonce, object: asked, ...access }: Remains): Promise<void> {
    if (nonce === undefined || !isKnown(asked)) {
        return;
    }
    const given = connect(access);
    const object = { ...asked, namespace: asked.namespace ?? given.namespace };
    // Another cluster can't have an object with this nonce, which is a random number.
    const isSame = async (kube: Kube) =>
        isSameServer(kube, given) || (await findUid(kube, object, nonce)) !== undefined;
    await withAccess(access, isSame, (kube) => removeFrom(kube, object, { job, nonce }));
}

async function removeFrom(
    kube: Kube,
    object: Placed,
    { job, nonce }: { readonly job: string; readonly nonce: string },
): Promise<void> {
    const uid = await findUid(kube, object, nonce);
    if (uid === undefined || (await isUsed(kube, object, { job, uid }))) {
        return;
    }
    await remove(kube, object, uid);
    const deadline = AbortSignal.timeout(LONGEST);
    while (!deadline.aborted && (await findUid(kube, object, nonce)) === uid) {
        await pause(PAUSE, deadline);
    }
}

async function findUid(kube: Kube, object: Placed, nonce: string): Promise<string | undefined> {
    const left = await find(kube, object);
    return left !== undefined && hasNonce(left, nonce) ? left.metadata?.uid : undefined;
}

/**
 * True for what a cluster needs while its Job exists: the Service that owns the Job, which Kubernetes would delete with it,
 * the one that gives the ranks their names, programs and keys. There is no Job yet if the first creation of a cluster was
 * interrupted.
 */
async function isUsed(kube: Kube, { kind, name: asked, namespace }: Placed, { job: name, uid }: Use): Promise<boolean> {
    if (!["Deployment", "Secret", "Service"].includes(kind)) {
        return false;
    }
    const job = await jobNamed(kube, { namespace, name });
    const isNamesake = asked === name;
    const isOwned = job?.metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
    return kind === "Service" && !isNamesake ? isOwned : job !== undefined;
}

interface Use {
    readonly job: string;
    readonly uid: string;
}
