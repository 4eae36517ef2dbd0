import type { Unwrap } from "@pulumi/pulumi";

/** Names and their values. */
export type Texts = Readonly<Record<string, string>>;

/** What is known of a cluster before its features decide anything. */
export interface Basis {
    /** Kubernetes name of the Job. */
    readonly name: string;
    /** An ephemeral cluster runs a command and ends with it; a persistent one runs until it is destroyed. */
    readonly mode: "ephemeral" | "persistent";
    /** Names of the variables whose values are in the Secret, sorted. */
    readonly secretNames: readonly string[];
}

/**
 * A MiniCluster with everything decided: all text and all manifests are made from it. Each feature adds its own part, with
 * `declare module`.
 */
export interface MiniClusterSpec extends Basis {}

/** Arguments without Outputs, of which these have a default and the others may be left out. */
export type Decide<Args extends object, Defaulted extends keyof Args = never> = Readonly<
    Unwrap<Omit<Args, Defaulted>> & Required<Unwrap<Pick<Args, Defaulted>>>
>;
