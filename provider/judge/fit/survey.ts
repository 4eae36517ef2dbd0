import type { V1LimitRange, V1Node, V1PersistentVolumeClaim, V1Pod, V1ResourceQuota } from "@kubernetes/client-node";

import { keptByCopy } from "../../contract/operation";
import type { Kube } from "../../kubernetes/client";
import { hasCode, sentence } from "../../kubernetes/failures/failure";
import { rememberNodeTypes } from "../../kubernetes/learnt";
import { listAll } from "../../kubernetes/list";
import { type QueueQuota, readQueue } from "../queue/quota";

/** What has been read of the cluster. Undefined parts could not be read. */
export interface Survey {
    readonly nodes?: readonly V1Node[];
    /** The pods of all namespaces that have not ended. */
    readonly pods?: readonly V1Pod[];
    readonly quotas?: readonly V1ResourceQuota[];
    readonly limitRanges?: readonly V1LimitRange[];
    /** The resources that devices of DRA provide, in place of the nodes. */
    readonly devices?: readonly string[];
    /** The names of the namespace's PersistentVolumeClaims, only for pods that mount some. */
    readonly claims?: readonly string[];
    /** Only for a Job with a queue of Kueue. Undefined also in a cluster without Kueue. */
    readonly queue?: QueueQuota;
    readonly unread: readonly Unread[];
}

/** A list that could not be read. */
export interface Unread {
    readonly what: string;
    readonly why: string;
}

interface DeviceClass {
    readonly metadata?: { readonly name?: string };
    readonly spec?: { readonly extendedResourceName?: string };
}

/** The list that says nothing of the room for pods. */
export const CLAIMS = "PersistentVolumeClaims";

/** Longest time for all lists together, in milliseconds. */
export const DEADLINE = 3000;

/** What a survey reads. */
export interface Scope {
    readonly namespace: string;
    readonly nodes: boolean;
    readonly devices: boolean;
    readonly claims?: boolean;
    /** The LocalQueue of Kueue. */
    readonly queue?: string;
}

/** Reads at most six lists and the queue at the same time, in pages. Never fails. */
export async function survey(
    kube: Kube,
    { claims, devices, namespace, nodes, queue }: Scope,
    deadline = DEADLINE,
): Promise<Survey> {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error(`not read within ${deadline / 1000} s`)), deadline);
    const unread: Unread[] = [];
    const list = async <T>(what: string, path: string, query: Readonly<Record<string, string>> = {}) => {
        try {
            return await until(
                stop.signal,
                shared(kube, path, () => listAll<T>(kube, path, query, stop.signal)),
            );
        } catch (error) {
            if (hasCode(error, 404) && path.startsWith("/apis/")) {
                // A cluster without this API has no such objects. All have the core API: its 404 is another server's.
                return [];
            }
            unread.push({ what, why: sentence(error) });
            return undefined;
        }
    };
    const none = Promise.resolve(undefined);
    const own = `/api/v1/namespaces/${namespace}`;
    const readsQueue = async (): Promise<QueueQuota | undefined> => {
        const fail = (error: unknown) => void unread.push({ what: "the quota of the queue", why: sentence(error) });
        const read = <T>(path: string) => until(stop.signal, kube.read<T>(path, {}));
        return queue === undefined ? undefined : readQueue(read, namespace, queue, fail).catch(() => undefined);
    };
    const [allNodes, pods, quotas, limitRanges, classes, allClaims, ofQueue] = await Promise.all([
        nodes ? list<V1Node>("nodes", "/api/v1/nodes") : none,
        nodes ? list<V1Pod>("pods of all namespaces", "/api/v1/pods", LIVE) : none,
        list<V1ResourceQuota>("ResourceQuotas", `${own}/resourcequotas`),
        list<V1LimitRange>("LimitRanges", `${own}/limitranges`),
        devices ? list<DeviceClass>("DeviceClasses", "/apis/resource.k8s.io/v1/deviceclasses") : none,
        claims ? list<V1PersistentVolumeClaim>(CLAIMS, `${own}/persistentvolumeclaims`) : none,
        readsQueue(),
    ]);
    clearTimeout(timer);
    rememberNodeTypes(kube, allNodes ?? []);
    return {
        nodes: allNodes,
        pods,
        quotas,
        limitRanges,
        devices: devices ? classes?.flatMap(resourcesOf) : [],
        claims: allClaims?.map(({ metadata }) => metadata?.name ?? ""),
        queue: ofQueue,
        unread,
    };
}

/** How long other Jobs of the operation share a list, in milliseconds. */
const FRESH = 3000;

const lists = keptByCopy(() => new WeakMap<Kube, Map<string, Promise<unknown[]>>>());

/** The list that another Job has begun to read a moment ago, or else a new one: a program may have many clusters. */
function shared<T>(kube: Kube, path: string, read: () => Promise<T[]>): Promise<T[]> {
    const known = lists().get(kube) ?? new Map<string, Promise<unknown[]>>();
    lists().set(kube, known);
    const reading = (known.get(path) as Promise<T[]> | undefined) ?? read();
    if (!known.has(path)) {
        known.set(path, reading);
        setTimeout(() => known.delete(path), FRESH).unref();
    }
    return reading;
}

/** Only pods that may have a node and take something of it. */
const LIVE = { fieldSelector: "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed" };

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource */
function resourcesOf({ metadata, spec }: DeviceClass): string[] {
    return [spec?.extendedResourceName ?? [], `deviceclass.resource.kubernetes.io/${metadata?.name}`].flat();
}

function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        work.then(resolve, reject);
    });
}
