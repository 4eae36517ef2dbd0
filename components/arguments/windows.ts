import { MARK } from "../parts/unixText";
import type { Problem } from "../rules/problem";

/** Arguments that are a path in a pod, by the end of their names. */
const PATH =
    /(^|\.)(workingDir|inputFile|outputFile|errorFile|mountPath|hostPath|prefix|folders\[\d+\])$|^command\[0\]$/;

/** Words of a command. A text of several lines there is a script, as in `["bash", "-c", "..."]`. */
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
    if (text.startsWith(MARK)) {
        return `begins with a byte order mark, as in a file of an editor on Windows. Remove it: text.replace(/^\\ufeff/, "").`;
    }
    if (COMMAND.test(property) && /\r\n/.test(text)) {
        return (
            "has Windows line ends (\\r\\n), which programs on Linux take for a part of the line. Remove them: " +
            'text.replaceAll("\\r\\n", "\\n").'
        );
    }
    if (/\r\n?$/.test(text)) {
        return "ends with a carriage return (\\r), as lines of a file of Windows do. Remove it: text.trimEnd().";
    }
    return PATH.test(property) && /^(\\|[a-z]:[\\/])/i.test(text)
        ? `is a path of Windows; the pods run Linux. Write it with "/", or make it with path.posix.join.`
        : undefined;
}
