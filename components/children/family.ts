import * as pulumi from "@pulumi/pulumi";

import { ANNOTATIONS } from "../../provider/contract/labels";
import type { KubernetesObject } from "../../provider/contract/object";
import type { CurveKey } from "../../provider/curveKey/resource";
import type { RestfulKeys } from "../features/restful/keys";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec } from "../spec";

export type Texts = pulumi.Output<Record<string, string>>;

/** Values that all children of a MiniCluster need. */
export interface Family {
    readonly spec: pulumi.Output<MiniClusterSpec>;
    readonly key: CurveKey;
    /** Undefined without a RESTful server that requires authentication. */
    readonly restful: pulumi.Output<RestfulKeys | undefined>;
    /** The argument `namespace`. If undefined, the Kubernetes provider's namespace is used. */
    readonly namespace?: pulumi.Output<string>;
    readonly options: pulumi.CustomResourceOptions;
}

/** An object with a name and the labels and annotations of the cluster, and nothing else. */
export function labelled(spec: MiniClusterSpec, name: string): KubernetesObject {
    return { metadata: metadataOf(spec, name) };
}

/**
 * The metadata and spec of an object as arguments of a resource, in the namespace of the arguments and with the nonce
 * of this stack. If two stacks use the same name, the nonces conflict; without them, both stacks would share one
 * object.
 */
export function placed(object: pulumi.Output<KubernetesObject>, { key, namespace }: Pick<Family, "key" | "namespace">) {
    const metadata = {
        name: object.apply((of) => of.metadata.name as string),
        labels: object.apply((of) => of.metadata.labels as Record<string, string>),
        annotations: marked(object, key),
        namespace,
    };
    return { metadata, spec: object.apply((of) => of.spec) };
}

function marked(object: pulumi.Output<KubernetesObject>, key: CurveKey): Texts {
    const both = pulumi.all([object, key.nonce]);
    return both.apply(
        ([of, nonce]): Record<string, string> => ({ ...of.metadata.annotations, [ANNOTATIONS.nonce]: nonce }),
    );
}
