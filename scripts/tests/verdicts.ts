import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { runQuietly } from "../local/child";
import { cacheDir, root, shortHash } from "../local/paths";

/** Checks whose result depends on the repository's files alone, package-lock.json with their tools among them. */
export type FileCheck = "lint" | "typecheck";

/** The hash of all files of the work tree that git doesn't ignore. Undefined outside of a clone. */
export async function hashOfFiles(folder = root): Promise<string | undefined> {
    const words = ["-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
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

const fileOf = (check: FileCheck, folder: string): string => join(folder, `passed-${check}`);
