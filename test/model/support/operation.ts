import type { UpOptions } from "./steps";
import type { Wish } from "./wish";

/** A call of the CLI. */
export interface Operation {
    readonly kind: "destroy" | "preview" | "refresh" | "up";
    readonly options: UpOptions;
    readonly wish: Wish;
    /** Start of the call, in milliseconds since 1970. */
    readonly begun: number;
    /** Resources that the user named for replacement, by `--replace` or by a taint. */
    readonly named: readonly string[];
    /** UID of the Job, if it has a TTL in the state before the call. */
    readonly expiring: string | undefined;
    /** A fault has met `check`, which reads the live Job. So `check` may not know that a command runs. */
    blind: boolean;
    /** UIDs of the Jobs, and ids of the Flux jobs, that the call has deleted. */
    readonly deletes: Set<string>;
}
