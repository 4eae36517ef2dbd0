import type { UpOptions } from "./steps";
import type { Wish } from "./wish";

/** One call of the CLI. */
export interface Operation {
    readonly kind: "destroy" | "preview" | "refresh" | "up";
    readonly options: UpOptions;
    readonly wish: Wish;
    /** Milliseconds since 1970. */
    readonly begun: number;
    /** Resources that the user named for replacement, by `--replace` or by a taint. */
    readonly named: readonly string[];
    /** UID of the Job that had a TTL by what the state said before. */
    readonly expiring: string | undefined;
    /** A fault has met `check`, which looks at the live Job: it may not have seen what runs. */
    blind: boolean;
    /** UIDs of the Jobs, and ids of the Flux jobs, that it asked to delete. */
    readonly deletes: Set<string>;
}
