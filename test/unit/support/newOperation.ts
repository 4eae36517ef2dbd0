import { OPERATIONS } from "../../../provider/contract/operation";

/** Drops what the provider keeps for an operation, as another process of the verbs does. */
export function newOperation(): void {
    delete (globalThis as Record<symbol, unknown>)[OPERATIONS];
}
