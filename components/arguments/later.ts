import * as pulumi from "@pulumi/pulumi";

/** True where a value has to be waited for. */
export function isLater(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
    return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** True where no value has to be waited for, at any depth. */
export function isPlain(value: unknown): boolean {
    return !isLater(value) && (typeof value !== "object" || value === null || Object.values(value).every(isPlain));
}
