import { existsSync, readFileSync } from "node:fs";

/** A resource in the state. */
export interface StateResource {
    readonly type: string;
    readonly urn: string;
    readonly id?: string;
    readonly inputs?: Record<string, any>;
    readonly outputs?: Record<string, any>;
}

/** What a file backend stores of a stack. */
export interface Checkpoint {
    readonly resources: readonly StateResource[];
    readonly pendingOperations: readonly unknown[];
}

/** The key that marks a secret in a state. Source: sdk/go/common/resource/sig, `Key`. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Reads a stack's file; one that was never written has nothing in it. */
export function readCheckpoint(path: string): Checkpoint {
    const stored = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const { pending_operations: pendingOperations = [], resources = [] } = stored.checkpoint?.latest ?? {};
    return { resources: resources ?? [], pendingOperations: pendingOperations ?? [] };
}

/** The stack's outputs, their secrets encrypted. */
export function outputsOf({ resources }: Checkpoint): Record<string, unknown> {
    return resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
}

export function hasSecrets(value: unknown): boolean {
    return JSON.stringify(value).includes(SIGNATURE);
}
