import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { identify, isAlive, type ProcessId } from "./processes";
import { sleep } from "./run";

/**
 * Runs an action while no other process on this machine has the lock. A lock whose holder has ended is
 * taken over, so nobody has to remove it by hand after a Ctrl-C.
 */
export async function withLock<T>(path: string, what: string, action: () => Promise<T>): Promise<T> {
    mkdirSync(dirname(path), { recursive: true });
    await acquire(path, what);
    try {
        return await action();
    } finally {
        rmSync(path, { force: true });
    }
}

async function acquire(path: string, what: string): Promise<void> {
    let told = false;
    while (!tryAcquire(path)) {
        const holder = readHolder(path);
        if (holder === undefined || !isAlive(holder)) {
            rmSync(path, { force: true });
            continue;
        }
        if (!told && holder.pid !== process.pid) {
            console.error(`Waiting for process ${holder.pid}, which has the lock for ${what} ...`);
        }
        told = true;
        await sleep(200);
    }
}

/** Creates the lock by a hard link, so the file has its content from the beginning and always names a holder. */
function tryAcquire(path: string): boolean {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(identify(process.pid)));
    try {
        linkSync(draft, path);
        return true;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") {
            return false;
        }
        throw error;
    } finally {
        rmSync(draft, { force: true });
    }
}

function readHolder(path: string): ProcessId | undefined {
    try {
        return JSON.parse(readFileSync(path, "utf8")) as ProcessId;
    } catch {
        return undefined;
    }
}
