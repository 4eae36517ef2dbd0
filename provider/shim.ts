import { createRequire } from "node:module";
import { join } from "node:path";

import * as pulumi from "@pulumi/pulumi";

import { type DynamicType, shimText, typeToken } from "./shimText";

/** A resource whose verbs run in Pulumi's dynamic provider host. */
export abstract class DynamicResource extends pulumi.CustomResource {
    protected constructor(
        type: DynamicType,
        name: string,
        props: Record<string, unknown>,
        opts?: pulumi.CustomResourceOptions,
    ) {
        requireResolvable();
        super(typeToken(type), name, { ...props, __provider: shimText(type) }, opts);
    }
}

/**
 * The URN of a dynamic resource that is about to be created; its verbs write progress to it. A promise, because an
 * Output would depend on the parent, and a parent that is a component depends on this resource.
 */
export function urnOf(type: DynamicType, name: string, opts?: pulumi.CustomResourceOptions): Promise<string> {
    const urn = pulumi.createUrn(name, typeToken(type), opts?.parent);
    return new Promise((resolve) => urn.apply(resolve));
}

/**
 * Fails if the package can't be resolved from the program's folder, where the provider host looks for it: the host
 * would report that only in its log. This file's own `require` can't be used, because a package always finds itself.
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
