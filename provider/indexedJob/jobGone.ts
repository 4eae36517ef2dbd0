import type { V1Pod } from "@kubernetes/client-node";

import { JOB_NAME_LABEL } from "../contract/labels";
import { cancellation } from "../host/cancel";
import { reporter } from "../host/log";
import type { Kube } from "../kubernetes/client";
import { awaitGone } from "../kubernetes/failures/gone";
import type { JobId } from "../kubernetes/jobId";
import { pagesOf } from "../kubernetes/list";
import { Stall } from "../kubernetes/stall";
import { nodeTroubles } from "../observe/pods/lostNode";
import { summarize } from "../observe/pods/pod";
import { isTold } from "../observe/pods/trouble";
import type { IndexedJobInputs } from "./properties";

/** Milliseconds without a sign of a pod that has ended, after which all pods are read, once and again. */
const LOOK = 20_000;
/** Pods that are named. */
const MOST = 3;

/** What is needed of the inputs or the outputs. */
export type Deadline = Pick<IndexedJobInputs, "deleteTimeout" | "resourceUrn">;

/** Waits until a Job that is being deleted doesn't exist any more. Tells which pods keep it. */
export async function awaitJobGone(kube: Kube, job: JobId, { deleteTimeout, resourceUrn }: Deadline): Promise<void> {
    const over = new AbortController();
    const interrupted = cancellation();
    const end = AbortSignal.any([over.signal, interrupted]);
    const kept = () => keptPods(kube, job, end);
    const stall = new Stall();
    const telling = tell(stall, { kept, report: reporter(resourceUrn, job.name), end });
    // The Job counts its pods, so it changes while they end.
    const changed = () => stall.end();
    try {
        await awaitGone(kube, "jobs", job, { timeoutSeconds: deleteTimeout, interrupted, why: kept, changed });
    } finally {
        over.abort();
        await telling;
    }
}

interface Telling {
    readonly kept: () => Promise<string | undefined>;
    readonly report: (line: string) => void;
    readonly end: AbortSignal;
}

/** Shows on the row of the resource which pods don't end. */
async function tell(stall: Stall, { end, kept, report }: Telling): Promise<void> {
    while (!end.aborted) {
        await stall.lasts(LOOK, end);
        const words = end.aborted ? undefined : await kept();
        if (words !== undefined && !end.aborted) {
            report(words);
        }
    }
}

/** The pods that don't end because of their nodes; undefined if there are none, or if they can't be read. */
async function keptPods(kube: Kube, { name, namespace, uid }: JobId, end: AbortSignal): Promise<string | undefined> {
    try {
        const path = `/api/v1/namespaces/${namespace}/pods`;
        const query = { labelSelector: `${JOB_NAME_LABEL}=${name}` };
        const found: string[] = [];
        for await (const page of pagesOf<V1Pod>(kube, path, query, end)) {
            const ours = page.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid));
            const troubles = ours.flatMap((pod) => nodeTroubles(summarize(pod)));
            found.push(...troubles.filter((each) => isTold(each, kube.now().getTime())).map(({ message }) => message));
        }
        return found.length === 0 ? undefined : words(found);
    } catch {
        // The deletion itself needs no right to list pods.
        return undefined;
    }
}

function words(messages: readonly string[]): string {
    const more = messages.length - MOST;
    return [...messages.slice(0, MOST), ...(more > 0 ? [`and ${more} more like these`] : [])].join("; ");
}
