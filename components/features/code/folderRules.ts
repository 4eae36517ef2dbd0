import { MOST_PACKED } from "../../../provider/contract/code/code";
import { type CodeFile, type CodeFolder, isEmptyFolder, MOST_FILES } from "../../../provider/contract/code/folder";
import { counted, namesInWords, sizeInWords } from "../../../provider/contract/words";
import type { Problem } from "../../rules/problem";
import { type FolderSpec, LARGE, MOST_BYTES } from "./found";

/** The problems of a folder, whose files such users can read. */
export function problemsOfFolder(folder: FolderSpec, readers: string): Problem[] {
    return [
        ...(["exclude", "include"] as const).flatMap((list) =>
            folder[list].flatMap((pattern, index) => validatePattern(`code.${list}[${index}]`, pattern)),
        ),
        ...validateFolder(folder, readers),
    ];
}

function validatePattern(property: string, pattern: string): Problem[] {
    const isWrong = pattern === "" || pattern.startsWith("/") || pattern.split("/").includes("..");
    const rule = "it must be a name or a path in code.source, in which * and ? may stand for characters";
    return isWrong ? [{ property, reason: `is "${pattern}"; ${rule}.` }] : [];
}

function validateFolder({ found: { failure, folder, packed = 0 }, source }: FolderSpec, readers: string): Problem[] {
    const property = "code.source";
    // Programs in JavaScript may leave it out.
    if (!source) {
        return [{ property, reason: `is missing. ${whichFolder("")}` }];
    }
    if (failure !== undefined) {
        return [{ property, reason: `is "${source}", which can't be read: ${failure}. ${whichFolder(source)}` }];
    }
    return folder === undefined ? [] : validateFiles(folder, packed, { readers, source });
}

function validateFiles(
    { isCut, secrets, unfit, ...folder }: CodeFolder,
    packed: number,
    { readers, source }: { readonly readers: string; readonly source: string },
): Problem[] {
    const property = "code.source";
    const files = folder.files.filter((file) => !isEmptyFolder(file));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const rules: [boolean, string][] = [
        [unfit.length > 0, `has what no pod can get: ${namesInWords(unfit)}. Remove it, or name it in code.exclude.`],
        [
            secrets.length > 0,
            `has files that look like secrets, and ${readers} could read them: ` +
                `${namesInWords(secrets)}. Name them in code.exclude, or in code.include if they are no secrets.`,
        ],
        [
            files.length === 0 && unfit.length + secrets.length === 0,
            `is "${source}", which has no files. Give a folder with files, or name some in code.include.`,
        ],
        [
            isCut,
            `has more than ${counted(MOST_FILES, "file")}. Of those that were counted first, ${most(files)}. ${OTHER_WAYS}`,
        ],
        [
            bytes > MOST_BYTES && !isCut,
            `has ${counted(files.length, "file")} of ${sizeInWords(bytes)}; the limit is ${sizeInWords(MOST_BYTES)}. ` +
                `${largest(files)} ${OTHER_WAYS}`,
        ],
        [
            packed > MOST_PACKED,
            `has ${counted(files.length, "file")} of ${sizeInWords(bytes)}, ${sizeInWords(packed)} packed; the limit is ` +
                `${sizeInWords(MOST_PACKED)}. ${largest(files)} ${OTHER_WAYS}`,
        ],
    ];
    return rules.filter(([isBroken]) => isBroken).map(([, reason]) => ({ property, reason }));
}

const OTHER_WAYS =
    "Name in code.exclude what the command doesn't need, or put large files into a volume, an image or a bucket " +
    "(docs/data.md).";

function whichFolder(source: string): string {
    return /\.(tar|tgz|zip|gz|bz2|xz|zst)$/i.test(source)
        ? "Give the folder itself: a new archive of the same files is another one."
        : "Give the path of a folder, absolute or from the program's main folder.";
}

/** The largest files and folders at the top of the source. */
function largest(files: readonly CodeFile[]): string {
    const three = tops(files, ({ size }) => size).slice(0, 3);
    return `The largest are ${three.map(([name, size]) => `${name} (${sizeInWords(size)})`).join(", ")}.`;
}

/** The folder at the top of the source that has the most files. */
function most(files: readonly CodeFile[]): string {
    const inFolders = files.map((file) => (file.path.includes("/") ? file : { ...file, path: "./" }));
    const [[name, count] = ["", 0]] = tops(inFolders, () => 1);
    return `${count.toLocaleString("en")} are in ${name}`;
}

/** The files and folders at the top of the source with their sums, the largest first. */
function tops(files: readonly CodeFile[], amountOf: (file: CodeFile) => number): [string, number][] {
    const sums = new Map<string, number>();
    for (const file of files) {
        const top = file.path.replace(/\/.*/s, "/");
        sums.set(top, (sums.get(top) ?? 0) + amountOf(file));
    }
    return [...sums].sort(([, a], [, b]) => b - a);
}

/** Warns of a folder that starts slowly, which has such a cost, and of scripts that don't start. */
export function noticesOfFolder({ found }: FolderSpec, costOf: (packed: string) => string): Problem[] {
    const { packed = 0, windowsScripts } = found;
    const property = "code.source";
    const rules: [boolean, string][] = [
        [packed > LARGE && packed <= MOST_PACKED, `has ${costOf(sizeInWords(packed))}. ${OTHER_WAYS}`],
        [
            windowsScripts.length > 0,
            `has scripts whose lines end as on Windows, so Linux doesn't find their interpreter: ` +
                `${namesInWords(windowsScripts)}. Save them with line ends of Linux.`,
        ],
    ];
    return rules.filter(([isBroken]) => isBroken).map(([, reason]) => ({ property, reason }));
}
