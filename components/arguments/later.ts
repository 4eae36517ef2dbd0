import * as pulumi from "@pulumi/pulumi";

/** True for an Output or a Promise. */
export function isLater(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
    return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** True for a value without Outputs and Promises at any depth. */
export function isPlain(value: unknown): boolean {
    return !isLater(value) && (typeof value !== "object" || value === null || Object.values(value).every(isPlain));
}

/** The value of an Output; undefined if it is unknown, in a preview or an update of some resources only. */
export async function ifKnown<T>(output: pulumi.Output<T>): Promise<T | undefined> {
    let value: T | undefined;
    const seen = output.apply((known) => {
        value = known;
    });
    // This resolves after the function has run, and also if it doesn't run.
    await pulumi.isSecret(seen);
    return value;
}
