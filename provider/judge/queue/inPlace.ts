import type { V1Job } from "@kubernetes/client-node";

import { ELASTIC_JOB } from "../../contract/labels";
import type { KubernetesObject } from "../../contract/object";
import type { SizedBy } from "../../contract/sizedBy";
import type { Kube } from "../../kubernetes/client";
import { dryJob } from "../../kubernetes/dryRun";
import { isHeld } from "../../kubernetes/sleep";
import { KUEUE } from "../../kubernetes/watch";
import { isUnknown } from "../../host/unknown";
import { isQueued, keepsPods, queueOf } from "./queuedJob";

/** What may change the size of a Job. */
export interface Resize {
    /** The live Job; undefined if the update creates it or replaces it. */
    readonly live?: V1Job;
    readonly before?: KubernetesObject;
    readonly manifest: KubernetesObject;
    readonly sizedBy?: SizedBy;
}

/** What `check` says of a Job whose size Kueue should change in place. */
export interface InPlace {
    /** Why the update is refused. */
    readonly refusal?: string;
    readonly note?: string;
}

/**
 * Tells if Kueue can't resize the Job in place. Kueue's webhook gives a scheduling gate to the pods of a Job that it can,
 * also in a dry run, which is all that a user of a namespace can see of Kueue's settings.
 */
export async function judgeInPlace(kube: Kube, resize: Resize): Promise<InPlace> {
    const { live, manifest } = resize;
    if (isUnknown(manifest) || !(isQueued(manifest) || isQueued(live ?? {}))) {
        return {};
    }
    return live === undefined ? judgeNew(kube, resize) : judgeResize(live, resize);
}

async function judgeNew(kube: Kube, { manifest, sizedBy }: Resize): Promise<InPlace> {
    if (manifest.metadata.annotations?.[ELASTIC_JOB] !== "true") {
        return {};
    }
    const admitted = await admittedAsNew(kube, manifest);
    if (admitted === undefined || keepsPods(admitted) || !(await isInstalled(kube))) {
        return {};
    }
    const why =
        `the Kueue of this cluster resizes no Job in place (queueName "${queueOf(manifest)}"); it needs Kueue 0.18 or ` +
        "later with ElasticJobsViaWorkloadSlices";
    return sizedBy === "cluster"
        ? { refusal: `elastic: ${why}. Remove elastic or queueName.` }
        : { note: `If size changes, ${BACK}: ${why}.` };
}

/** True if the API server has Kueue's types. The same program may install Kueue before it creates the Job. */
async function isInstalled(kube: Kube): Promise<boolean> {
    return (await kube.read(`/apis/${KUEUE}`, {}).catch(() => undefined)) !== undefined;
}

const BACK = "Kueue ends all pods, and the Job waits in its queue again";

function judgeResize(live: V1Job, { before, manifest, sizedBy }: Resize): InPlace {
    const isResized = before?.spec.parallelism !== manifest.spec.parallelism;
    if (!isResized || sizedBy !== undefined || isHeld(live) || keepsPods(live)) {
        return {};
    }
    const why = `it was created without the annotation ${ELASTIC_JOB}: "true", which Kueue accepts from a new Job only`;
    return { note: `The size changes, so ${BACK}: ${why}. To replace the Job, change triggers.` };
}

/** The Job as the API server would admit it under a free name; undefined if it doesn't tell. */
async function admittedAsNew(kube: Kube, { metadata = {}, ...job }: V1Job): Promise<V1Job | undefined> {
    const { name, namespace = "", ...others } = metadata;
    const unnamed = { ...job, metadata: { ...others, namespace, generateName: `${name}-` } };
    return dryJob(kube, namespace, unnamed).catch(() => undefined);
}
