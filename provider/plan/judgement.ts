import type { V1Job } from "@kubernetes/client-node";

import type { Fit, Judgement } from "../contract/judgement";
import { fitOf } from "../indexedJob/fit";
import type { IndexedJobInputs } from "../indexedJob/properties";
import { BRIEFLY, connect } from "../kubernetes/client";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { type JobName, jobNamed } from "../observe/job";
import { accessOf } from "./access";
import { nodeHoursOf } from "./nodeHours";

/**
 * Judges the inputs of an IndexedJob. A policy fails if it reads a value that is unknown at preview, so only the fit reads
 * what may be unknown, and is left out then.
 */
export async function judge(inputs: IndexedJobInputs, given: ClusterAccess): Promise<Judgement> {
    const { interrupt, manifest, maxSize, sizedBy } = inputs;
    const judged = { nodeHours: nodeHoursOf({ manifest, maxSize, sizedBy }), permitsKill: interrupt === "allow" };
    try {
        const fit = await judgeFit(inputs, given);
        return fit === undefined ? judged : { ...judged, fit };
    } catch {
        return judged;
    }
}

/** As of a new cluster, whose pods take the place of those that it has. */
async function judgeFit(inputs: IndexedJobInputs, given: ClusterAccess): Promise<Fit | undefined> {
    const { manifest, minSize } = inputs;
    const access = given.kubeconfig === undefined ? accessOf(given, inputs) : given;
    const live = liveJob(access, manifest.metadata as JobName);
    const verdict = await fitOf(live, {
        olds: {},
        news: { manifest, minSize, fit: "warn", ...access } as IndexedJobInputs,
    });
    return verdict && { class: verdict.class, text: verdict.text };
}

/** The Job of this name; undefined if it can't be read. */
async function liveJob(access: ClusterAccess, job: JobName): Promise<V1Job | undefined> {
    try {
        return await jobNamed(connect(access, BRIEFLY), job);
    } catch {
        return undefined;
    }
}
