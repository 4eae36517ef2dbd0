import type { Unwrap } from "@pulumi/pulumi";

/** Names and their values. */
export type Texts = Readonly<Record<string, string>>;

/** The part of the spec that is known before the features add theirs. */
export interface Basis {
    /** Kubernetes name of the Job. */
    readonly name: string;
    /** An ephemeral cluster runs a command and ends with it; a persistent one runs until it is destroyed. */
    readonly mode: "ephemeral" | "persistent";
    /** Names of the variables whose values are in the Secret, sorted. */
    readonly secretNames: readonly string[];
}

/** A MiniCluster with all defaults. All texts and manifests are made from it. It has the decisions of all features. */
export interface MiniClusterSpec extends Basis {}

/**
 * Arguments without Outputs. Those named in `Defaulted` have a default, so they are never undefined. The others may be
 * undefined, but not absent: a feature that doesn't pass an argument on doesn't compile.
 */
export type Decide<Args extends object, Defaulted extends keyof Args = never> = {
    readonly [Name in keyof Required<Args>]: Name extends Defaulted
        ? Exclude<Unwrap<Args[Name]>, undefined>
        : Unwrap<Args[Name]>;
};
