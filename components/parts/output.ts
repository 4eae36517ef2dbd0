import type { Input } from "@pulumi/pulumi";

/** What the `output` output keeps of a log. */
export interface OutputArgs {
    /** Bytes, counted from the end; 0 keeps nothing. @default 16384 */
    maxBytes?: Input<number>;
    /** Encrypt it in the stack's state. @default false */
    secret?: boolean;
}
