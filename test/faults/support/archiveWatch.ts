import { existsSync, type FSWatcher, mkdirSync, readFileSync, rmSync, watch } from "node:fs";
import { join } from "node:path";

/** A pod that begins to own the archive. Times are in milliseconds. */
export interface Claim {
    readonly at: number;
    /** When the dump began that the pod has restored. 0 without one. */
    readonly dumped: number;
}

/** Records what leads do with an archive in a folder of this machine, at the moment at which they do it. */
export class ArchiveWatch {
    readonly claims: Claim[] = [];
    private readonly watcher: FSWatcher;
    private readonly begun = new Map<string, number>();
    private owner = "";
    private dumped = 0;
    private last = "";

    constructor(readonly folder: string) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        this.watcher = watch(folder, (_, name) => this.note(name ?? ""));
    }

    private note(name: string): void {
        if (name === "owner") {
            this.noteOwner();
        } else if (name === "content.tgz" && this.last.startsWith("new.")) {
            // A rename is an event of the former name, and then one of the next.
            this.dumped = this.begun.get(this.last) ?? 0;
            this.begun.delete(this.last);
        } else if (name.startsWith("new.") && !this.begun.has(name)) {
            this.begun.set(name, Date.now());
        }
        this.last = name;
    }

    /** The file is empty for a moment while it is written. */
    private noteOwner(): void {
        const owner = this.read("owner").trim();
        if (owner !== "" && owner !== this.owner) {
            this.owner = owner;
            this.claims.push({ at: Date.now(), dumped: this.dumped });
        }
    }

    /** The text of a file in the folder. */
    read(name: string): string {
        const path = join(this.folder, name);
        return existsSync(path) ? readFileSync(path, "utf8") : "";
    }

    remove(): void {
        this.watcher.close();
        rmSync(this.folder, { recursive: true, force: true });
    }
}
