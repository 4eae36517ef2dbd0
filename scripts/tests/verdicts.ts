import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { runQuietly } from "../local/child";
import { cacheDir, root, shortHash } from "../local/paths";

/** The tools of a check, and the scripts that run them. */
const TOOLS = ["package-lock.json", "package.json", "scripts/*.mjs"];

/** Checks whose result depends on the repository's files alone: on all of them, or on those that match a pattern of git. */
export const FILE_CHECKS = {
    typecheck: [],
    "lint:code": [],
    "lint:shell": ["*.sh", ".ci/run", ".shellcheckrc", ...TOOLS],
    "lint:python": ["*.py", "*.pyi", "test/double/image/flux", "scripts/pyproject.toml", ...TOOLS],
} as const satisfies Record<string, readonly string[]>;

export type FileCheck = keyof typeof FILE_CHECKS;

/** The hash of the files of a check in the work tree that git doesn't ignore. Undefined outside of a clone. */
export async function hashOfFiles(check: FileCheck, folder = root): Promise<string | undefined> {
    const words = [
        "-C",
        folder,
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        ...FILE_CHECKS[check],
    ];
    const { output, succeeded } = await runQuietly("git", words).catch(() => ({ output: "", succeeded: false }));
    if (!succeeded) {
        return undefined;
    }
    const names = [...new Set(output.split("\0"))].filter(Boolean).sort();
    return shortHash(...names.flatMap((name) => [name, ...contentOf(join(folder, name))]));
}

/** The content of a file, apart from that of one that is removed but still in git's index. */
const contentOf = (path: string): (string | Buffer)[] =>
    existsSync(path) ? ["content", readFileSync(path)] : ["removed"];

/** True if the check has passed on these files on this machine. */
export function hasPassed(check: FileCheck, files: string | undefined, folder = cacheDir): boolean {
    const path = fileOf(check, folder);
    return files !== undefined && existsSync(path) && readFileSync(path, "utf8") === files;
}

/** Keeps the last files on which a check has passed. */
export function keepVerdict(check: FileCheck, files: string | undefined, passed: boolean, folder = cacheDir): void {
    const path = fileOf(check, folder);
    if (passed && files !== undefined) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, files);
    } else {
        rmSync(path, { force: true });
    }
}

const fileOf = (check: FileCheck, folder: string): string => join(folder, `passed-${check.replace(":", "-")}`);
