import type { State } from "./snapshot";
import type { UpOptions } from "./steps";
import type { Wish } from "./wish";

/** A call of the CLI. */
export interface Operation {
    readonly kind: "destroy" | "preview" | "refresh" | "up";
    readonly options: UpOptions;
    readonly wish: Wish;
    /** Start of the call, in milliseconds since 1970. */
    readonly begun: number;
    /** Another cluster answered already at the start. */
    readonly elsewhere: boolean;
    /** That cluster has clusters of the same names. */
    readonly namesakes: boolean;
    /** Resources that the user named for replacement, by `--replace` or by a taint. */
    readonly named: readonly string[];
    /** When the TTL can remove a Job at the earliest, by the UID of each Job that has a TTL in the state before the call. */
    readonly expiring: ReadonlyMap<string, number>;
    /** The states before the call. */
    readonly before: readonly State[];
    /** Types of resource, with the nonce, for which the call has asked `check`. So the provider knows the arguments. */
    readonly checked: Set<string>;
    /** The warnings and lines of progress. */
    readonly said: string[];
    /** UIDs of the Jobs, and ids of the Flux jobs, that the call has deleted. */
    readonly deletes: Set<string>;
}
