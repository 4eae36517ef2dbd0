import { engine, type Line } from "./engine";
import { withoutMarkup } from "./markup";

/** Writes a line about one resource. */
export type Report = (line: string) => void;

/** Returns the function for progress lines, which Pulumi shows on the resource's row during an operation. */
export function reporter(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "INFO", ephemeral: true });
}

/** Returns the function for lines that stay: Pulumi shows them on the resource's row and among the diagnostics. */
export function teller(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "INFO", ephemeral: false });
}

/** Returns the function for warnings, which Pulumi shows among the diagnostics of a preview or an update. */
export function warner(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "WARNING", ephemeral: false });
}

/** Returns the function for lines that Pulumi shows only with `--debug`. */
export function debug(urn: string | undefined, name: string): Report {
    return logger(urn, name, { severity: "DEBUG", ephemeral: false });
}

/** Shows lines on the resource's row. If the engine can't be called, the lines go to standard output. */
function logger(urn: string | undefined, name: string, kind: Pick<Line, "ephemeral" | "severity">): Report {
    const fallback = (line: string) => kind.severity === "DEBUG" || console.log(`${name}: ${line}`);
    try {
        const to = urn === undefined ? undefined : engine();
        if (urn === undefined || to === undefined) {
            return fallback;
        }
        const message = (line: string) => withoutMarkup(`${name}: ${line}`);
        return (line) => to.log({ ...kind, urn, message: message(line) }, () => fallback(line));
    } catch {
        return fallback;
    }
}
