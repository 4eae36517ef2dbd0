import { keptByCopy } from "../contract/operation";
import { isUnknown } from "../unknown";

/** What an update does if it would cancel a running job. */
export type Interrupt = "allow" | "refuse";

/** What earlier calls of this operation have said of a job. */
export interface Seen {
    /** True after `check`, which a destroy never calls. It calls `diff` for the dependents of a resource of `--target`. */
    readonly isChecked: boolean;
    readonly interrupt?: Interrupt;
    /** True if it has been removed: then its ticket looks for no job. */
    readonly isRemoved?: boolean;
}

/** By the nonce of the job. */
const memory = keptByCopy(() => new Map<string, Seen>());

export function seenOf(nonce: string): Seen | undefined {
    return memory().get(nonce);
}

/** Remembers the inputs that `check` or `diff` has got for a job. */
export function remember(nonce: string, { interrupt }: { readonly interrupt: Interrupt }, isChecked: boolean): void {
    if (isUnknown(nonce)) {
        return;
    }
    const before = seenOf(nonce);
    memory().set(nonce, {
        ...before,
        isChecked: isChecked || before?.isChecked === true,
        interrupt: isUnknown(interrupt) ? before?.interrupt : interrupt,
    });
}

/** Remembers that a job has been removed, or that it is submitted again. */
export function rememberRemoval(nonce: string, isRemoved: boolean): void {
    memory().set(nonce, { isChecked: false, ...seenOf(nonce), isRemoved });
}
