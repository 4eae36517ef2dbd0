import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders of programs; an ordinary user's PATH doesn't have all of them in Debian. */
const systemDirs = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/go/bin"];

/** The path of a program, or undefined. */
export function findProgram(name: string, dirs: readonly string[] = searchPath()): string | undefined {
    return dirs.map((dir) => join(dir, name)).find(isExecutable);
}

export function searchPath(): string[] {
    const own = (process.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
    return [...new Set([...own, ...systemDirs])];
}

/** PATH with these folders first. */
export function pathWith(...folders: readonly string[]): string {
    return [...new Set([...folders, ...searchPath()])].join(delimiter);
}

function isExecutable(path: string): boolean {
    try {
        accessSync(path, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}
