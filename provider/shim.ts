import { createRequire } from "node:module";
import { join } from "node:path";

import * as pulumi from "@pulumi/pulumi";

/** Dynamic resources of this package, by the last part of their type. */
export type DynamicType = "CurveKey" | "FluxSubmission" | "FluxTicket" | "IndexedJob" | "JobStatus" | "KeygenPod";

/**
 * What the stack's state holds as the provider of a resource: a constant text that loads the installed package, so that
 * an upgrade of the package also mends refresh and destroy of older stacks. It must never change, and
 * `flux-minicluster/provider` must go on accepting the states of all earlier versions.
 */
export function shimText(type: DynamicType): string {
    return `exports.handler = () => require("flux-minicluster/provider").verbs("${type}");`;
}

/** A resource whose verbs run in Pulumi's dynamic provider host. */
export abstract class DynamicResource extends pulumi.CustomResource {
    protected constructor(
        type: DynamicType,
        name: string,
        props: Record<string, unknown>,
        opts?: pulumi.CustomResourceOptions,
    ) {
        requireResolvable();
        super(`pulumi-nodejs:dynamic/flux-minicluster:${type}`, name, { ...props, __provider: shimText(type) }, opts);
    }
}

/**
 * The URN of a dynamic resource that is about to be made; its verbs write progress to it. A promise, because an Output
 * would depend on the parent and so, where that is a component, on the very resource.
 */
export function urnOf(type: DynamicType, name: string, opts?: pulumi.CustomResourceOptions): Promise<string> {
    const urn = pulumi.createUrn(name, `pulumi-nodejs:dynamic/flux-minicluster:${type}`, opts?.parent);
    return new Promise((resolve) => urn.apply(resolve));
}

/**
 * The host looks for the package from the program's folder, as this does; better to fail here than in its log. Not with
 * this file's own `require`: a package always finds itself.
 */
function requireResolvable(): void {
    try {
        createRequire(join(process.cwd(), "program.js")).resolve("flux-minicluster/provider");
    } catch (cause) {
        throw new Error(
            `The package flux-minicluster can't be found from ${process.cwd()}, where Pulumi runs its dynamic ` +
                "providers. Add flux-minicluster to the dependencies of the Pulumi program itself: being a dependency " +
                "of another package is not enough.",
            { cause },
        );
    }
}
