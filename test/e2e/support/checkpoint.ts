import { existsSync, readFileSync } from "node:fs";

/** A resource in the state. */
export interface StateResource {
    readonly type: string;
    readonly urn: string;
    readonly id?: string;
    readonly inputs?: Record<string, any>;
    readonly outputs?: Record<string, any>;
    /** Reference of the provider: its URN and its id. */
    readonly provider?: string;
    readonly deletedWith?: string;
    readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
}

/** The state of a stack in a file backend. */
export interface Checkpoint {
    readonly resources: readonly StateResource[];
    readonly pendingOperations: readonly unknown[];
}

/** The key that marks a secret in a state. Source: sdk/go/common/resource/sig, `Key`. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Reads a stack's file. Without a file the state is empty. */
export function readCheckpoint(path: string): Checkpoint {
    const stored = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const { pending_operations: pendingOperations = [], resources = [] } = stored.checkpoint?.latest ?? {};
    return { resources: resources ?? [], pendingOperations: pendingOperations ?? [] };
}

/** The stack's outputs, with encrypted secrets. */
export function outputsOf({ resources }: Checkpoint): Record<string, unknown> {
    return resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
}

export function hasSecrets(value: unknown): boolean {
    return JSON.stringify(value).includes(SIGNATURE);
}
