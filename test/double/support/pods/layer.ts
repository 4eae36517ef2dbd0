import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { run } from "../../../../scripts/local/run";

/** A file over an image's own: a program or another file, a link, a folder, or nothing. */
export type FileChange =
    | { readonly text: string | Buffer; readonly mode?: number }
    | { readonly link: string }
    | { readonly folder: number }
    | "hidden";

export type FileChanges = Readonly<Record<string, FileChange>>;

/** Runs an action with a folder of such files, to lay over an image's. Paths begin without a slash. */
export async function withLayer<T>(changes: FileChanges, action: (layer: string) => Promise<T>): Promise<T> {
    const layer = mkdtempSync(join(tmpdir(), "layer-"));
    try {
        // mkdtemp makes a folder that only root may enter.
        chmodSync(layer, 0o755);
        for (const [path, change] of Object.entries(changes)) {
            mkdirSync(dirname(join(layer, path)), { recursive: true });
            await make(join(layer, path), change);
        }
        return await action(layer);
    } finally {
        rmSync(layer, { recursive: true, force: true });
    }
}

async function make(path: string, change: FileChange): Promise<void> {
    if (change === "hidden") {
        await run("mknod", [path, "c", "0", "0"]);
    } else if ("link" in change) {
        symlinkSync(change.link, path);
    } else if ("folder" in change) {
        mkdirSync(path);
        chmodSync(path, change.folder);
    } else {
        writeFileSync(path, change.text);
        chmodSync(path, change.mode ?? 0o755);
    }
}
