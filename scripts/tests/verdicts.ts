import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { runQuietly } from "../local/child";
import { cacheDir, root } from "../local/paths";

/** Checks whose result depends on the repository's files alone, package-lock.json with their tools among them. */
export type FileCheck = "lint" | "typecheck";

/** The hash of all files of the work tree that git doesn't ignore. Undefined outside of a clone. */
export async function hashOfFiles(folder = root): Promise<string | undefined> {
    const words = ["-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const { output, succeeded } = await runQuietly("git", words).catch(() => ({ output: "", succeeded: false }));
    if (!succeeded) {
        return undefined;
    }
    const hash = createHash("sha256");
    for (const name of [...new Set(output.split("\0"))].filter(Boolean).sort()) {
        const path = join(folder, name);
        hash.update(JSON.stringify([name, existsSync(path) ? digest(path) : "removed"]));
    }
    return hash.digest("hex");
}

function digest(path: string): string {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
}

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
