import { isUnknown } from "../unknown";
import type { FluxSubmissionInputs } from "./properties";

/** What an update does if it would cancel a running job. */
export type Interrupt = NonNullable<FluxSubmissionInputs["interrupt"]>;

/**
 * The newest `interrupt` that `check` or `diff` has seen in this process, by the nonce of the job. A plain
 * `pulumi destroy` makes neither call, so a nonce in this map tells `delete` that an update asks for it.
 */
export const seenJobs = new Map<string, { readonly interrupt?: Interrupt }>();

/** Remembers that an update concerns a job. */
export function remember(nonce: string, { interrupt }: Pick<FluxSubmissionInputs, "interrupt">): void {
    if (!isUnknown(nonce)) {
        seenJobs.set(nonce, isUnknown(interrupt) ? (seenJobs.get(nonce) ?? {}) : { interrupt });
    }
}

/** What `check` or `diff` of a job has left in this process; undefined if neither was called. */
export function remembered(nonce: string): { readonly interrupt?: Interrupt } | undefined {
    return seenJobs.get(nonce);
}
