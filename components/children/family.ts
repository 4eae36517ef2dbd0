import * as pulumi from "@pulumi/pulumi";

import { ANNOTATIONS } from "../../provider/contract/labels";
import type { KubernetesObject } from "../../provider/contract/object";
import type { CurveKey } from "../../provider/curveKey/resource";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec } from "../spec";
import type { LaterSpec } from "../arguments/laterSpec";

export type Texts = pulumi.Output<Record<string, string>>;

/** Values that all children of a MiniCluster need. */
export interface Family {
    readonly spec: LaterSpec;
    readonly key: CurveKey;
    /** The argument `namespace`. If undefined, the Kubernetes provider's namespace is used. */
    readonly namespace?: pulumi.Output<string>;
    readonly options: pulumi.CustomResourceOptions;
}

/** An object with the labels and annotations of the cluster, and nothing else. */
export function labelled(spec: MiniClusterSpec): KubernetesObject {
    return { metadata: metadataOf(spec, "") };
}

/**
 * The metadata and spec of an object as arguments of a resource, in the namespace of the arguments and with the nonce
 * of this stack. If two stacks use the same name, the nonces conflict; without them, both stacks would share one
 * object. The name is apart, because the Kubernetes provider replaces an object whose name is unknown.
 */
export function placed(
    name: (spec: MiniClusterSpec) => string,
    object: (spec: MiniClusterSpec) => KubernetesObject,
    { key, namespace, spec }: Pick<Family, "key" | "namespace" | "spec">,
    marks: Readonly<Record<string, string>> = {},
) {
    const { annotations, labels } = pulumi.output(spec.apply((of) => object(of).metadata as KubernetesObject));
    return {
        metadata: {
            name: spec.apply(name),
            labels: labels as Texts,
            annotations: pulumi
                .all([annotations as pulumi.Output<Record<string, string>>, key.nonce])
                .apply(([given, nonce]) => ({ ...given, [ANNOTATIONS.nonce]: nonce, ...marks })),
            namespace,
        },
        spec: spec.apply((of) => object(of).spec),
    };
}
