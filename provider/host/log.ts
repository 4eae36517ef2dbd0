import { pause } from "../kubernetes/pause";
import { engine, type Line } from "./engine";
import { foreignLines } from "../contract/foreignText";
import { withoutMarkup } from "./markup";

/** Writes a line about one resource. */
export type Report = (line: string) => void;

/** Returns the function for progress lines, which Pulumi shows on the resource's row during an operation. */
export function reporter(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "INFO", ephemeral: true });
}

/** Returns the function for lines that stay: Pulumi shows them on the resource's row and among the diagnostics. */
export function teller(urn: string | undefined, name: string): Report {
    return logger(urn, name, STAYS);
}

/** Writes lines that stay, in their order. */
export interface Printer {
    readonly tell: Report;
    /** Resolves when the engine has all lines. */
    readonly flush: () => Promise<void>;
}

/** Returns the functions for lines of an output: each is sent after the one before has arrived. */
export function printer(urn: string | undefined, name: string): Printer {
    const send = sender(urn, name, STAYS);
    let last = Promise.resolve();
    const tell = (line: string) => (last = last.then(() => send(line)));
    return { tell: (line) => void tell(line), flush: () => last };
}

/** Milliseconds that the end of an operation waits for an engine that takes lines slowly. */
const PATIENCE = 2000;

/** Resolves when the engine has all lines, soon in any case, and at once if the operation is cancelled. */
export async function flushed({ flush }: Printer, cancel: AbortSignal): Promise<void> {
    const over = new AbortController();
    if (!cancel.aborted) {
        await Promise.race([flush(), pause(PATIENCE, AbortSignal.any([over.signal, cancel]))]);
        over.abort();
    }
}

/** Returns the function for warnings, which Pulumi shows among the diagnostics of a preview or an update. */
export function warner(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "WARNING", ephemeral: false });
}

/** Returns the function for lines that Pulumi shows only with `--debug`. */
export function debug(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "DEBUG", ephemeral: false });
}

type Kind = Pick<Line, "ephemeral" | "severity">;

const STAYS: Kind = { severity: "INFO", ephemeral: false };

function logger(urn: string | undefined, name: string, kind: Kind): Report {
    const send = sender(urn, name, kind);
    return (line) => void send(line);
}

/** Shows lines on the resource's row. If the engine can't be called, the lines go to standard output. */
function sender(urn: string | undefined, name: string, kind: Kind): (line: string) => Promise<void> {
    const fallback = (line: string) => {
        if (kind.severity !== "DEBUG") {
            console.log(foreignLines(`${name}: ${line}`));
        }
    };
    const withoutEngine = async (line: string) => fallback(line);
    try {
        const to = urn === undefined ? undefined : engine();
        if (urn === undefined || to === undefined) {
            return withoutEngine;
        }
        const message = (line: string) => withoutMarkup(foreignLines(`${name}: ${line}`));
        return (line) => to.log({ ...kind, urn, message: message(line) }).catch(() => fallback(line));
    } catch {
        return withoutEngine;
    }
}
