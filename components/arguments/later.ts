import * as pulumi from "@pulumi/pulumi";

/** True for an Output or a Promise. */
export function isLater(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
    return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** True for a value without Outputs and Promises at any depth. */
export function isPlain(value: unknown): boolean {
    return !isLater(value) && (typeof value !== "object" || value === null || Object.values(value).every(isPlain));
}
