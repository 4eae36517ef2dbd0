import type { ApiWorld } from "./apiServer";
import type { Process } from "./clock";
import type { Fault } from "./fault";
import type { Operation } from "./operation";

/** A dynamic provider host, in which verbs run. A Ctrl-C cancels it, and it can be killed. */
export class Host implements Process {
    alive = true;
    /** The running verb, such as `IndexedJob.create`. */
    verb = "";
    /** Start of the verb, in milliseconds since 1970. */
    verbBegun = 0;
    /** Number of the verb's next request. */
    request = 0;
    /** Start of each fault that lasts some time, in milliseconds since 1970. */
    readonly lasting = new Map<Fault, number>();
    /** The faults to come, with their verbs. */
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

    /** The signal of `cancellation()` in this host. */
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
