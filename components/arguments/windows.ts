import { hasLines, MARK } from "../parts/unixText";
import type { Problem } from "../rules/problem";

/** Arguments that are a path in a pod, by the end of their names. */
const PATH =
    /(^|\.)(workingDir|inputFile|outputFile|errorFile|mountPath|hostPath|prefix|folders\[\d+\])$|^command\[0\]$/;

/** Words of a command. A script among them is made a text of Linux (`unixWords`). */
const COMMAND = /(^|\.)command\[\d+\]$/;

/**
 * The problems of a text that comes from Windows: Linux takes a carriage return, a byte order mark and a backslash for a
 * part of the value, and no program says so. The value isn't shown.
 */
export function windowsProblems(property: string, text: string): Problem[] {
    const reason = problemOf(property, text);
    return reason === undefined ? [] : [{ property, reason }];
}

function problemOf(property: string, text: string): string | undefined {
    const isScript = COMMAND.test(property) && hasLines(text);
    if (text.startsWith(MARK) && !isScript) {
        return `begins with a byte order mark, as in a file of an editor on Windows. Remove it: text.replace(/^\\ufeff/, "").`;
    }
    // The last line of a text may have the same end as the others.
    if (text.endsWith("\r") || (text.endsWith("\r\n") && !hasLines(text))) {
        return "ends with a carriage return (\\r), as lines of a file of Windows do. Remove it: text.trimEnd().";
    }
    return PATH.test(property) && /^(\\|[a-z]:[\\/])/i.test(text)
        ? `is a path of Windows; the pods run Linux. Write it with "/", or make it with path.posix.join.`
        : undefined;
}
