import * as pulumi from "@pulumi/pulumi";

/** Options of the children, by the kind of child. */
export interface ChildOptions {
    readonly child: pulumi.CustomResourceOptions;
    readonly job: pulumi.CustomResourceOptions;
    readonly status: pulumi.CustomResourceOptions;
    /** The size is somebody else's to decide. */
    readonly autoscaled: boolean;
}

/**
 * Pulumi doesn't pass ignoreChanges on to a component's children, and says nothing about it. `size` is passed on to the
 * two it means, so that an autoscaler can have it; other names could not be honoured and are refused.
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
        throw new pulumi.ResourceError(`${reason} Remove it, or use transforms on the child resource.`, parent, true);
    }
    const child = { parent };
    if (ignored.length === 0) {
        return { child, job: child, status: child, autoscaled: false };
    }
    const numbers = ["manifest.spec.completions", "manifest.spec.parallelism"];
    return {
        child,
        job: { parent, ignoreChanges: numbers },
        status: { parent, ignoreChanges: ["size"] },
        autoscaled: true,
    };
}
