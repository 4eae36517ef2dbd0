import { programRuns } from "../host/program";

/** What an update does if it would end running work. */
export type Interrupt = "allow" | "refuse";

/** What the verbs of a resource have been told in this operation, before `delete`. */
export interface Told {
    /** Of the program, or else of the state. */
    readonly interrupt?: string;
    /** `check` was called: the program wants the resource. */
    readonly isChecked: boolean;
    /** `diff` was called as for a resource that is replaced together with another one. */
    readonly isCompared: boolean;
}

/**
 * True if a deletion may end running work. Pulumi deletes a resource by the same call when it replaces it, when it has left
 * the program, and in `pulumi destroy`, which alone is a permission. A destroy calls no `check` and runs no program. With
 * `--target` it calls `diff`, as an update does that replaces another resource.
 */
export async function mayDelete({ interrupt, isChecked, isCompared }: Told): Promise<boolean> {
    return interrupt === "allow" || (!isChecked && !((await programRuns()) ?? isCompared));
}
