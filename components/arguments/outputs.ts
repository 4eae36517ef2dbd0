import * as pulumi from "@pulumi/pulumi";

export type Later = pulumi.Output<unknown> | Promise<unknown>;

/** True for an Output or a Promise. */
export function isLater(value: unknown): value is Later {
    return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** True for a value without Outputs and Promises at any depth. */
export function isPlain(value: unknown): boolean {
    return !isLater(value) && (typeof value !== "object" || value === null || Object.values(value).every(isPlain));
}

/** The value of an Output. It can be unknown in a preview, and in an update of some resources only. */
export interface Opened<T = unknown> {
    readonly known: boolean;
    readonly value?: T;
}

export async function opened<T>(output: pulumi.Output<T>): Promise<Opened<T>> {
    let found: Opened<T> = { known: false };
    const seen = output.apply((value) => {
        found = { known: true, value };
    });
    // This resolves after the function has run, and also if it doesn't run.
    await pulumi.isSecret(seen);
    return found;
}

/** The value of an Output; undefined if it is unknown. */
export async function ifKnown<T>(output: pulumi.Output<T>): Promise<T | undefined> {
    return (await opened(output)).value;
}
