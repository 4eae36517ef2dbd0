import type { ApiWorld } from "./apiServer";
import type { Process } from "./clock";
import type { Fault } from "./fault";
import type { Operation } from "./operation";

/** A dynamic provider host, in which verbs run: it can be told of a Ctrl-C, and be killed. */
export class Host implements Process {
    alive = true;
    /** The verb that runs now, such as `IndexedJob.create`. */
    verb = "";
    /** Number of the verb's next request. */
    request = 0;
    /** Since when the API server doesn't answer it, in milliseconds since 1970. */
    away: number | undefined;
    /** What is to go wrong, and in which verb. */
    faults: readonly Fault[];
    /** Rejects when the host is killed. */
    readonly died: Promise<never>;
    private readonly cancelled = new AbortController();
    private die!: (error: Error) => void;

    constructor(
        readonly world: ApiWorld,
        readonly stack: string,
        readonly operation: Operation,
        faults: readonly Fault[],
    ) {
        this.faults = faults;
        this.died = new Promise((_resolve, reject) => (this.die = reject));
        this.died.catch(() => undefined);
    }

    /** What `cancellation()` gives in this host. */
    get signal(): AbortSignal {
        return this.cancelled.signal;
    }

    cancel(reason: string): void {
        this.cancelled.abort(new Error(reason));
    }

    kill(): void {
        this.alive = false;
        this.die(new Error("error reading from server: EOF"));
    }
}
