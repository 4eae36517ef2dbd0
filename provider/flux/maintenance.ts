import { CALL_TIMEOUT, Calls } from "./calls";
import { MAINTENANCE_PROGRAM } from "./programs";

/** What maintain.py tells after a change. */
export interface Maintenance {
    /** The given ranks that are drained now, with Flux' reason. */
    readonly drained: Readonly<Record<string, string>>;
    /** All ranks with a job. */
    readonly busy: readonly number[];
    /** Jobs that have not ended. */
    readonly jobs: number;
    /** True if a queue starts jobs. */
    readonly starts: boolean;
    /** True if a queue accepts jobs. */
    readonly accepts: boolean;
}

/** Drains and undrains ranks for the maintenance of their nodes. */
export class MaintenanceCalls extends Calls {
    async change(verb: "drain" | "undrain", ranks: readonly number[]): Promise<Maintenance> {
        const words = ["ask", MAINTENANCE_PROGRAM, verb, JSON.stringify(ranks)];
        return JSON.parse(await this.text(words, 2 * CALL_TIMEOUT, `Flux can't ${verb} the ranks`)) as Maintenance;
    }
}
