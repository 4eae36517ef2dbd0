import type { Input } from "@pulumi/pulumi";

/** What the `output` output keeps of a log. */
export interface OutputArgs {
    /** Bytes that are kept, counted from the end of the log. 0 keeps nothing. @default 16384 */
    maxBytes?: Input<number>;
    /** Encrypt the output in the stack's state, and show none of it in an error. @default false */
    secret?: boolean;
}
