import { compact, type KubernetesObject, sortKeys } from "../../provider/contract/object";
import { FEATURES } from "../features";
import type { MiniClusterSpec, Texts } from "../spec";
import { podTemplate } from "./template";

/** The Indexed Job. It holds nothing that only the API server knows, so that preview can show all of it. */
export function job(spec: MiniClusterSpec, namespace: string, files: Texts): KubernetesObject {
    const labels = Object.assign({}, ...FEATURES.map((feature) => feature.jobLabels?.(spec)));
    const annotations = Object.assign({}, ...FEATURES.map((feature) => feature.jobAnnotations?.(spec)));
    return sortKeys({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: compact({ name: spec.name, namespace, labels, annotations }),
        spec: jobSpec(spec, namespace, files),
    });
}

function jobSpec(spec: MiniClusterSpec, namespace: string, files: Texts): KubernetesObject {
    return compact({
        completionMode: "Indexed",
        // Rank 0 has the command's exit code; how the others end says nothing about it.
        successPolicy: { rules: [{ succeededIndexes: "0" }] },
        // A pod that the cluster takes away is not a failure of the command.
        podFailurePolicy: {
            rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
        },
        podReplacementPolicy: "Failed",
        ...Object.assign({}, ...FEATURES.map((feature) => feature.job?.(spec))),
        template: podTemplate(spec, namespace, files),
    });
}
