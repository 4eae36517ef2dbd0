import { isUnknown } from "../unknown";
import type { FluxSubmissionInputs } from "./properties";

/** What an update does if it would cancel a running job. */
export type Interrupt = FluxSubmissionInputs["interrupt"];

/** What an earlier call of this operation has said of a job. */
export interface Seen {
    /** True after `check`, which a destroy never calls. It calls `diff` for the dependents of a resource of `--target`. */
    readonly isChecked: boolean;
    readonly interrupt?: Interrupt;
}

/** What this process has seen, by the nonce of the job. */
export const seenJobs = new Map<string, Seen>();

/** Remembers the inputs that `check` or `diff` has got for a job. */
export function remember(nonce: string, { interrupt }: FluxSubmissionInputs, isChecked: boolean): void {
    if (isUnknown(nonce)) {
        return;
    }
    const before = seenJobs.get(nonce);
    seenJobs.set(nonce, {
        isChecked: isChecked || before?.isChecked === true,
        interrupt: isUnknown(interrupt) ? before?.interrupt : interrupt,
    });
}
