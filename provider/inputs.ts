import type { Unwrap } from "@pulumi/pulumi";

/** The arguments of a resource as its verbs get them: without Outputs, and with its URN, to which progress is written. */
export type Inputs<Args extends object> = { readonly [Name in keyof Args]: Unwrap<Args[Name]> } & {
    readonly resourceUrn?: string;
};
