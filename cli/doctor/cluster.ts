import type { CoreV1Event, V1Job, V1Pod } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../../provider/contract/labels";
import { lastLines } from "../../provider/jobStatus/record";
import type { Kube } from "../../provider/kubernetes/client";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { ending } from "../../provider/kubernetes/job";
import { listAll } from "../../provider/kubernetes/list";
import type { Observation } from "../../provider/observe/pods/observation";
import { isAbout, isPodOf, observed } from "../../provider/observe/pods/observed";
import { isReady, type Pod, summarize } from "../../provider/observe/pods/pod";
import { findJob, type Target } from "../target/target";
import { type Cluster, wantedPods } from "./subject";

/** Most pods whose logs are read: mostly, all have the same problem. */
const LOGS = 4;
const LINES = 200;

/** Looks once at a cluster; undefined if it doesn't exist. Fails if another one has its name. */
export async function lookAt(target: Target): Promise<Cluster | undefined> {
    const { kube, name, namespace } = target;
    const job = await findJob(target);
    if (job === undefined) {
        return undefined;
    }
    const own = { name, uid: job.metadata?.uid ?? "" };
    const { signal } = new AbortController();
    const labelSelector = `${JOB_NAME_LABEL}=${name}`;
    const all = await listAll<V1Pod>(kube, `/api/v1/namespaces/${namespace}/pods`, { labelSelector }, signal);
    const pods = wantedPods(
        job,
        all.filter((pod) => isPodOf(own, pod)),
    );
    const events = await eventsOf(kube, namespace);
    const [noEvents, known] = typeof events === "string" ? [events, []] : [undefined, events];
    const seen = observed(
        job,
        pods,
        known.filter((event) => isAbout(own, event)),
        kube.now().getTime(),
    );
    return { job, pods, seen, noEvents, logs: await logsOf(kube, namespace, notJoined(job, seen, pods)) };
}

/** The Events of the namespace, or why they can't be read. */
async function eventsOf(kube: Kube, namespace: string): Promise<CoreV1Event[] | string> {
    try {
        const { signal } = new AbortController();
        return await listAll<CoreV1Event>(kube, `/api/v1/namespaces/${namespace}/events`, {}, signal);
    } catch (error) {
        return sentence(error);
    }
}

/** The pods that have started and aren't in the cluster, the likeliest culprits first: those that have ended. */
function notJoined(job: V1Job, seen: Observation, pods: readonly V1Pod[]): Pod[] {
    if (ending(job)?.failed === false) {
        return [];
    }
    const ready = new Set(seen.ranks().flatMap((pod) => (isReady(pod) ? [pod.rank] : [])));
    const started = pods.map(summarize).filter(({ rank, startedAt }) => startedAt !== undefined && !ready.has(rank));
    const hasEnded = ({ terminated }: Pod) => Number(terminated !== undefined);
    return started.sort((a, b) => hasEnded(b) - hasEnded(a) || b.createdAt - a.createdAt);
}

async function logsOf(kube: Kube, namespace: string, pods: readonly Pod[]): Promise<Map<string, string>> {
    const read = async (pod: Pod) => [pod.name, await lastLines(kube, namespace, pod, LINES)] as const;
    const logs = await Promise.all(pods.slice(0, LOGS).map(read));
    return new Map(logs.filter(([, text]) => text.trim() !== ""));
}
