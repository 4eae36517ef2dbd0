import { foreignLine, LONGEST_TEXT as LONGEST } from "../../contract/foreignText";

/** Longest text of Kubernetes in a progress line. */
export const ROW = 250;

const WORDS = "passw(?:or)?d|passphrase|secret|token|credentials?|signature|sas|sig|api_?key|access_?key|account_?key";
/** Secrets of mount options, URLs and JSON, and those that a server was given in a header. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
    // A mount program's command line ends where its output, the cause, begins; or the text was cut off in it.
    [/\s*Mounting command: [^]*?(?:Output: |$)/g, ": "],
    [new RegExp(`((?:${WORDS})=)(?:"[^"]*"|'[^']*'|[^\\s,;&"'\\]})]+)`, "gi"), "$1..."],
    [new RegExp(`("[\\w-]*(?:${WORDS})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "gi"), '$1"..."'],
    [/\b(passw(?:or)?d: )\S+/gi, "$1..."],
    [/\b(bearer|basic) (?!realm=)[\w.~+/=-]{8,}/gi, "$1 ..."],
    [/\beyJ[\w-]{8,}(?:\.[\w-]+){1,2}/g, "..."],
    [/(\w:\/\/)[^\s/@"]+@/g, "$1...@"],
];
/** The id of a sandbox or a container, which each try changes. */
const ID = /(?<!sha256:)\b[0-9a-f]{40,}\b/g;

/**
 * A text of Kubernetes, a volume driver or a runtime in one line, without secrets, and with at most so many characters.
 * Two tries of the same step give the same text.
 */
export function plainText(text: string, longest = LONGEST): string {
    const cut = text.slice(0, 16 * LONGEST).replace(ID, "...");
    const line = SECRETS.reduce((rest, [secret, mask]) => rest.replace(secret, mask), cut);
    return shortened(foreignLine(line, line.length).replace(/\s+/g, " ").trim(), longest);
}

/** Leaves out the middle of a long line: its beginning tells the step, its end the cause. */
function shortened(line: string, longest: number): string {
    const characters = line.length <= longest ? [] : [...line];
    if (characters.length <= longest) {
        return line;
    }
    const half = Math.floor((longest - 5) / 2);
    return `${characters.slice(0, half).join("")} ... ${characters.slice(-half).join("")}`;
}
