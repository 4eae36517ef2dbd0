import { lost } from "../../kubernetes/streams/socket";
import { CannotRun, complaint, KILLED } from "../calls";
import { BUSY, NO_BROKER, WITHOUT_BINDINGS } from "../protocol";

/** What SIGALRM makes of an agent that hears nothing. */
const SILENCED = 142;

/** What bash, Python and the loader of libraries say in a lead that has no memory, processes or descriptors left. */
const SHORTAGE =
    /Cannot allocate memory|Resource temporarily unavailable|MemoryError|failed to map segment|Too many open files|can't start new thread/i;

/** The error of an agent that has ended. */
export function endOf(code: number, stderr: string): Error {
    const why = complaint(stderr);
    if (code === WITHOUT_BINDINGS) {
        return new CannotRun(why);
    }
    if (code === NO_BROKER || code === BUSY || SHORTAGE.test(stderr)) {
        return passing(why);
    }
    if (code === 0 || code === SILENCED || KILLED.includes(code)) {
        return lost("the agent in the lead was killed");
    }
    return new Error(`the agent can't run in the lead: ${why || `exit code ${code}`}`);
}

/** An error after which a later try may succeed. */
function passing(why: string): Error {
    return Object.assign(new Error(why), { code: "ECONNREFUSED" });
}

/** The error of a running agent that has no place for a request at the moment. */
export function busy(why: string): Error {
    return Object.assign(passing(why), { isBusy: true });
}

export function isBusy(error: unknown): boolean {
    return (error as { isBusy?: boolean }).isBusy === true;
}
