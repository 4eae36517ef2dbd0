import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, existsSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { withLock } from "../lock";

/** Creates a folder of the cache once. The folder gets its name only when it is complete. */
export async function makeOnce(folder: string, what: string, make: (draft: string) => Promise<void>): Promise<string> {
    if (existsSync(folder)) {
        return folder;
    }
    return withLock(`${folder}.lock`, what, async () => {
        if (!existsSync(folder)) {
            await makeWhole(folder, make);
        }
        return folder;
    });
}

async function makeWhole(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    try {
        await make(draft);
        renameSync(draft, folder);
    } finally {
        rmSync(draft, { recursive: true, force: true });
    }
}

const week = 7 * 24 * 3600 * 1000;

/**
 * Marks a folder of the cache, named KIND-HASH, as used, and removes folders of its kind that were unused for a week.
 */
export function keepInUse(folder: string, now: Date = new Date()): void {
    utimesSync(folder, now, now);
    const kind = basename(folder).replace(/[^-]*$/, "");
    for (const name of readdirSync(dirname(folder)).filter(
        (name) => name.startsWith(kind) && /^[0-9a-f]{16}$/.test(name.slice(kind.length)),
    )) {
        const other = join(dirname(folder), name);
        if (now.getTime() - statSync(other).mtimeMs > week) {
            rmSync(other, { recursive: true, force: true });
        }
    }
}

/** Runs an action with a folder beside `path`, and removes the folder afterwards. */
export async function withScratch<T>(path: string, action: (folder: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(`${path}.`);
    try {
        return await action(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
