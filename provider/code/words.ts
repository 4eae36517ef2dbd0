import type { JobCode } from "../contract/code/code";
import { counted, namesInWords, sizeInWords } from "../contract/words";

const isIn = (files: JobCode["files"], name: string) => Object.hasOwn(files, name);

type Known = Pick<JobCode, "files">;

/** What an update brings: the code in numbers, and the files that differ from those of the state. */
export function codeWords(before: JobCode | undefined, code: JobCode): string[] {
    const { bytes, count, leftOut } = code;
    const out = leftOut.length === 0 ? "" : `; left out: ${leftOut.join(", ")}`;
    const changes = before === undefined ? "" : changedFiles(before, code);
    return [
        `code: ${counted(count, "file")}, ${sizeInWords(bytes)}${out}`,
        ...(changes === "" ? [] : [`code: ${changes}`]),
    ];
}

/** The files that differ, in words. Empty if none do. */
export function changedFiles(before: Known, now: Known): string {
    const [had, has] = [before.files, now.files];
    const names = [...new Set([...Object.keys(had), ...Object.keys(has)])].sort();
    const kinds: [string, (name: string) => boolean][] = [
        ["changed", (name) => isIn(had, name) && isIn(has, name) && had[name] !== has[name]],
        ["added", (name) => !isIn(had, name)],
        ["removed", (name) => !isIn(has, name)],
    ];
    return kinds
        .map(([kind, is]) => [kind, names.filter(is)] as const)
        .filter(([, some]) => some.length > 0)
        .map(([kind, some]) => `${kind}: ${namesInWords(some)}`)
        .join("; ");
}
