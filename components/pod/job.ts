import { compact, type KubernetesObject, sortKeys } from "../../provider/contract/object";
import { FEATURES } from "../features";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec, Texts } from "../spec";
import { podTemplate } from "./template";

/** The Indexed Job. All its values are known at preview, so that preview can show all of it. */
export function job(spec: MiniClusterSpec, namespace: string, files: Texts): KubernetesObject {
    const annotations = Object.assign({}, ...FEATURES.map((feature) => feature.jobAnnotations?.(spec)));
    const { labels, ...metadata } = metadataOf(spec, spec.name, { annotations, namespace });
    const all = Object.assign({}, labels, ...FEATURES.map((feature) => feature.jobLabels?.(spec)));
    return sortKeys({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { ...metadata, labels: all },
        spec: jobSpec(spec, namespace, files),
    });
}

function jobSpec(spec: MiniClusterSpec, namespace: string, files: Texts): KubernetesObject {
    return compact({
        completionMode: "Indexed",
        // The lead's exit code is the command's. Exit codes of followers have no effect on the result.
        successPolicy: { rules: [{ succeededIndexes: "0" }] },
        // The eviction of a pod is not a failure of the command.
        podFailurePolicy: {
            rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
        },
        podReplacementPolicy: "Failed",
        ...Object.assign({}, ...FEATURES.map((feature) => feature.job?.(spec))),
        template: podTemplate(spec, namespace, files),
    });
}
