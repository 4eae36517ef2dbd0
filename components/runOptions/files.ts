import type { RunOptions } from "../../provider/contract/runOptions";
import type { Problem } from "../rules/problem";

/** Longest path in bytes: PATH_MAX of Linux, without its NUL. */
const LONGEST_PATH = 4095;
/** Longest name of a tag that Flux' job shell looks up (mustache_cb in src/shell/shell.c). */
const LONGEST_TAG = 111;

/** Words that `flux run --output` and `--error` take for Flux' own log, not for a file. */
const NO_FILES = ["none", "kvs"];
/** Task ranks, for which `flux run --input` reads its own standard input. */
const RANKS = /^(all|\[?\d+(-\d+)?(,\d+(-\d+)?)*\]?)$/;

/** Refuses paths that Flux wouldn't take for files, and tags that its job shell can't read. */
export function validateFiles({ errorFile, inputFile, outputFile }: RunOptions): Problem[] {
    return [
        ...validatePath("inputFile", inputFile),
        ...(inputFile !== undefined && RANKS.test(inputFile) ? [noFile("inputFile", inputFile, "task ranks")] : []),
        ...Object.entries({ outputFile, errorFile }).flatMap(([property, path]) => [
            ...validatePath(property, path),
            ...validateTags(property, path),
            ...(path !== undefined && NO_FILES.includes(path) ? [noFile(property, path, "Flux' own log")] : []),
        ]),
    ];
}

function noFile(property: string, path: string, meaning: string): Problem {
    return { property, reason: `is "${path}", which Flux takes for ${meaning}. For a file, write "./${path}".` };
}

function validatePath(property: string, path: string | undefined): Problem[] {
    if (path === undefined) {
        return [];
    }
    if (path === "") {
        return [{ property, reason: "is empty; give the path of a file, or remove it." }];
    }
    // The lead reads one option in each line.
    if (/[\0-\x1f]/.test(path)) {
        return [{ property, reason: "has a control character. Remove it." }];
    }
    const bytes = Buffer.byteLength(path);
    const reason = `has ${bytes} bytes; a path has up to ${LONGEST_PATH}. Shorten it.`;
    return bytes > LONGEST_PATH ? [{ property, reason }] : [];
}

function validateTags(property: string, path = ""): Problem[] {
    const [, ...tags] = path.split("{{");
    const open = tags.find((tag) => !tag.includes("}}"));
    if (open !== undefined) {
        return [{ property, reason: `has "{{${open}", but no "}}" after it. Write a tag like {{id}}.` }];
    }
    const long = tags.map((tag) => tag.split("}}")[0]).find((tag) => Buffer.byteLength(tag) > LONGEST_TAG);
    const reason = `has a tag of more than ${LONGEST_TAG} bytes. Write a tag like {{id}}.`;
    return long === undefined ? [] : [{ property, reason }];
}
