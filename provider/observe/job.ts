import type { KubernetesObject, V1Job } from "@kubernetes/client-node";

import { namesOf } from "../contract/names";
import { ANNOTATIONS } from "../contract/labels";
import type { LeadMark } from "../contract/lead";
import { connect, type Kube } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { compareMark } from "../kubernetes/clusterMark";
import { ifThere } from "../kubernetes/failures/failure";
import { isSameServer } from "../kubernetes/sameCluster";
import { CLUSTERS } from "./summary";

export interface JobName {
    readonly namespace: string;
    readonly name: string;
}

/** A Job that a state has, or that a user names. */
export interface KnownJob extends JobName {
    /** Undefined if only its name is known. Then it is the Job that has this name in its cluster. */
    readonly uid?: string;
    /** Of these, any one tells its cluster where the mark doesn't (`compareMark`). */
    readonly leads?: readonly LeadMark[];
    /** Name of the lead Service. @default NAME-lead */
    readonly service?: string;
    /** Tells the Kubernetes cluster (`clusterMark`), also where the Service is missing, or a new one has the nonce of a lead. */
    readonly mark?: string;
}

/** Where a Job is. A cluster that can't be asked gives no answer but an error. */
export type Answer =
    | { readonly where: "here"; readonly job: V1Job }
    /** This is its cluster, which doesn't have it any more. Another Job may have its name. */
    | { readonly where: "gone"; readonly namesake?: V1Job }
    /** This cluster has neither the Job nor its lead Service. */
    | { readonly where: "elsewhere"; readonly why: string }
    /** This cluster doesn't have the Job, and no mark tells whether it is the Job's cluster. */
    | { readonly where: "unknown"; readonly why: string };

/** Looks for a Job. Only `gone` says that it doesn't exist any more. */
export async function locate(kube: Kube, known: KnownJob): Promise<Answer> {
    const job = await jobNamed(kube, known);
    if (job !== undefined && job.metadata?.uid === known.uid) {
        return { where: "here", job };
    }
    const other = await otherPlace(kube, known);
    if (other !== undefined) {
        return other;
    }
    return job !== undefined && known.uid === undefined ? { where: "here", job } : { where: "gone", namesake: job };
}

/** Undefined if this is the cluster of the Job, and if nothing but a name is known. */
async function otherPlace(kube: Kube, known: KnownJob): Promise<Answer | undefined> {
    const comparison = await compareMark(kube, known.namespace, known.mark);
    if (comparison?.isSame === true) {
        return undefined;
    }
    if (comparison?.isSame === false) {
        // A new Service of another cluster may have the nonce, but not the UID.
        const leads = known.leads?.map(({ uid }) => ({ uid }));
        const isRenewed = !comparison.isSure && (await hasLead(kube, { ...known, leads }));
        return isRenewed ? undefined : { where: "elsewhere", why: comparison.why };
    }
    return isNamed(known) || (await hasLead(kube, known)) ? undefined : notHere(kube, known);
}

/** True if nothing tells the cluster, so that any one counts. */
function isNamed({ leads = [], mark, uid }: KnownJob): boolean {
    return uid === undefined && mark === undefined && leads.length === 0;
}

function notHere({ server }: Kube, known: KnownJob): Answer {
    const { leads = [], name, namespace, uid } = known;
    const place = `${namespace}/${name}`;
    return leads.length === 0
        ? { where: "unknown", why: `Job ${place} (UID ${uid ?? "unknown"}) is not in the cluster at ${server}` }
        : {
              where: "elsewhere",
              why: `neither Job ${place} nor its Service ${serviceOf(known)} is in the cluster at ${server}`,
          };
}

/** True if this is the cluster of the Job, whether the Job exists or not. */
export async function isClusterOf(kube: Kube, known: KnownJob): Promise<boolean> {
    return ["gone", "here"].includes((await locate(kube, known)).where);
}

/** The same. A Job of which only the name is known could be anywhere. */
export async function isKnownIn(kube: Kube, known: KnownJob): Promise<boolean> {
    return !isNamed(known) && isClusterOf(kube, known);
}

/** Tells whether other credentials than these lead to the cluster of a Job: it is known there, or the API server is the same. */
export function leadsTo(known: KnownJob, access: ClusterAccess): (kube: Kube) => Promise<boolean> {
    return async (kube) => (await isKnownIn(kube, known)) || isSameServer(kube, connect(access));
}

/** True if the cluster has the lead Service. A Job of that name may be a copy, as a restored backup is. */
async function hasLead(kube: Kube, known: KnownJob): Promise<boolean> {
    const { leads = [], namespace } = known;
    const service = leads.length === 0 ? undefined : await ifThere(kube.getService(namespace, serviceOf(known)));
    const found = { uid: service?.metadata?.uid, nonce: service && nonceOf(service) };
    return leads.some(({ nonce, uid }) => (uid ?? "") === found.uid || (nonce ?? "") === found.nonce);
}

function serviceOf({ name, service }: KnownJob): string {
    return service ?? namesOf(name).lead;
}

/** The mark of the lead Service that owns a Job. */
export function markOf(job: V1Job): LeadMark | undefined {
    const owner = job.metadata?.ownerReferences?.find(({ kind }) => kind === "Service");
    return owner && { uid: owner.uid, nonce: nonceOf(job) };
}

function nonceOf({ metadata }: KubernetesObject): string | undefined {
    return metadata?.annotations?.[ANNOTATIONS.nonce];
}

/** The Job of this name, of any owner. */
export function jobNamed(kube: Kube, { name, namespace }: JobName): Promise<V1Job | undefined> {
    return ifThere(kube.getJob(namespace, name));
}

/** The Jobs of the MiniClusters of a namespace. */
export async function listJobs(kube: Kube, namespace: string): Promise<readonly V1Job[]> {
    const { items } = await kube.batch.listNamespacedJob({ namespace, labelSelector: CLUSTERS });
    return items;
}

/**
 * True if the TTL of a Job, in seconds, may have removed it. Before its creation and the TTL have passed, another client has
 * deleted it. The time of the creation is unknown in states of earlier releases.
 */
export function mayHaveExpired(ttl: number | true | undefined, createdAt: string | undefined, now: Date): boolean {
    const earliest = ttl === true || createdAt === undefined ? -Infinity : Date.parse(createdAt) + (ttl ?? 0) * 1000;
    return ttl !== undefined && now.getTime() >= earliest;
}

/** When a Job was created, in ISO 8601. */
export function createdAtOf({ metadata }: V1Job): string | undefined {
    const { creationTimestamp } = metadata ?? {};
    return creationTimestamp && new Date(creationTimestamp).toISOString();
}
