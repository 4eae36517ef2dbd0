import * as pulumi from "@pulumi/pulumi";

import { ANNOTATIONS, labelsOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import type { CurveKey } from "../../provider/curveKey/resource";
import type { RestfulKeys } from "../features/restful/keys";
import type { MiniClusterSpec } from "../spec";

export type Texts = pulumi.Output<Record<string, string>>;

/** What the children have in common. */
export interface Family {
    readonly spec: pulumi.Output<MiniClusterSpec>;
    readonly key: CurveKey;
    /** Undefined in clusters without a server that asks for them. */
    readonly restful: pulumi.Output<RestfulKeys | undefined>;
    /** As asked for; undefined for the Kubernetes provider's. */
    readonly namespace?: pulumi.Output<string>;
    readonly options: pulumi.CustomResourceOptions;
}

/** An object with a name and the labels of the cluster, and nothing else. */
export function labelled(spec: MiniClusterSpec, name: string): KubernetesObject {
    return { metadata: { name, labels: labelsOf(spec.name) } };
}

/**
 * An object's parts as arguments of a resource, in the namespace that was asked for and with the mark of this stack: two
 * stacks that want the same name then have a conflict, instead of one object between them.
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
