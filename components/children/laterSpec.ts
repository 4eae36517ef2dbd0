import type * as pulumi from "@pulumi/pulumi";

import type { MiniClusterSpec } from "../spec";

/**
 * A spec that comes later. What is made from it depends only on the arguments that it uses, and is unknown only if one
 * of these is unknown.
 */
export interface Later<Spec> {
    /** Makes a part, as `apply` of an Output. */
    apply<T>(part: (spec: Spec) => T): pulumi.Output<pulumi.Unwrap<T>>;
}

export interface LaterSpec extends Later<MiniClusterSpec> {
    /** The spec in a namespace. `check` throws if the spec can't be there. */
    in(namespace: pulumi.Output<string>, check?: (spec: MiniClusterSpec, namespace: string) => void): PlacedSpec;
}

/** A spec whose host names are those of its namespace. */
export interface PlacedSpec {
    apply<T>(part: (spec: MiniClusterSpec, namespace: string) => T): pulumi.Output<pulumi.Unwrap<T>>;
}
