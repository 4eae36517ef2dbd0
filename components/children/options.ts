import * as pulumi from "@pulumi/pulumi";

import type { SizedBy } from "../../provider/contract/sizedBy";

/** Pulumi options of each kind of child. */
export interface ChildOptions {
    readonly child: pulumi.CustomResourceOptions;
    readonly job: pulumi.CustomResourceOptions;
    readonly status: pulumi.CustomResourceOptions;
    /** Given if the arguments don't decide the size. */
    readonly sizedBy?: SizedBy;
}

/**
 * Pulumi silently ignores `ignoreChanges` of a component. Here `size` is passed on to the Job and its status, so that
 * an autoscaler can change it. Other names are refused, because they would have no effect.
 */
export function childOptions(
    parent: pulumi.ComponentResource,
    name: string,
    opts: pulumi.ComponentResourceOptions | undefined,
): ChildOptions {
    const ignored = opts?.ignoreChanges ?? [];
    const unknown = ignored.filter((path) => path !== "size");
    if (unknown.length > 0) {
        const reason = `MiniCluster "${name}" can only ignore changes of size, not of ${unknown.join(", ")}.`;
        throw new pulumi.ResourceError(
            `${reason} Remove it from ignoreChanges, or use transforms on the child resource.`,
            parent,
            true,
        );
    }
    const child = { parent };
    if (ignored.length === 0) {
        return { child, job: child, status: child };
    }
    const numbers = ["manifest.spec.completions", "manifest.spec.parallelism"];
    return {
        child,
        job: { parent, ignoreChanges: numbers },
        status: { parent, ignoreChanges: ["size"] },
        sizedBy: "autoscaler",
    };
}
