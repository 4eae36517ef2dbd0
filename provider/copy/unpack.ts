import {
    chmodSync,
    closeSync,
    constants,
    fchmodSync,
    futimesSync,
    linkSync,
    lstatSync,
    mkdirSync,
    openSync,
} from "node:fs";
import { symlinkSync, utimesSync, writeSync } from "node:fs";

import { type Empty, type Making, makingOf, shown } from "./archiveEntry";
import type { ArchiveEntry, Headers } from "./tarStream";

/** What a copy has made, and what it has left out. */
export interface Tally {
    bytes: number;
    files: number;
    folders: number;
    links: number;
    /** Sentences. */
    readonly skipped: string[];
}

export function emptyTally(): Tally {
    return { bytes: 0, files: 0, folders: 0, links: 0, skipped: [] };
}

/** A folder whose permissions and time are set when its content is complete. */
interface Folder {
    readonly path: string;
    readonly mode: number;
    readonly mtime: Date;
}

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Makes the files of an archive in a folder. Everything is made new there, and in real folders that it has made itself:
 * so no link in the archive leads it elsewhere. Only the nine bits of permissions are kept.
 */
export class Unpacking {
    readonly tally = emptyTally();
    /** What the whole copy is; undefined before its first entry. */
    kind: "file" | "folder" | undefined;
    private readonly folders: Folder[] = [];
    private readonly made = new Set<string>();

    /** `content` is the path that the file or the folder gets. */
    constructor(
        private readonly content: string,
        private readonly starts: (name: string) => void = () => {},
    ) {}

    async take(entry: ArchiveEntry): Promise<void> {
        const { header } = entry;
        const making = makingOf(header);
        this.kind ??= this.begin(making);
        this.starts(shown(making.path));
        if (making.kind === "file") {
            await this.makeFile(this.placeOf(making), header, entry);
            return;
        }
        this.makeEmpty(making, header);
        entry.resume();
    }

    private begin(making: Making): "file" | "folder" {
        if (making.kind === "file") {
            return "file";
        }
        if (making.kind === "folder" && making.path === "") {
            return "folder";
        }
        throw new Error(`the pod's archive begins with ${shown(making.path)}, and not with what it is a copy of`);
    }

    private makeEmpty(making: Empty, { mode = 0o755, mtime = new Date() }: Headers): void {
        if (making.kind === "skip") {
            this.tally.skipped.push(`${shown(making.path)} ${making.why}`);
            return;
        }
        const place = this.placeOf(making);
        switch (making.kind) {
            case "folder":
                mkdirSync(place, 0o700);
                this.made.add(making.path);
                this.folders.push({ path: making.path, mode: mode & 0o777, mtime });
                this.tally.folders++;
                break;
            case "link":
                symlinkSync(Buffer.from(making.to, "latin1"), place);
                this.tally.links++;
                break;
            case "hardLink":
                this.makeHardLink(place, making);
                this.tally.files++;
                break;
        }
    }

    /** A second name of a symbolic link would lead elsewhere than the first one. */
    private makeHardLink(place: Buffer, { path, to }: { path: string; to: string }): void {
        const other = this.placeOf({ path: to, kind: "hardLink" });
        if (!lstatSync(other).isFile()) {
            throw new Error(`the pod's archive has ${shown(path)} as another name of ${shown(to)}, which is no file`);
        }
        linkSync(other, place);
    }

    private async makeFile(
        place: Buffer,
        { mode = 0o644, mtime = new Date() }: Headers,
        content: ArchiveEntry,
    ): Promise<void> {
        const file = openSync(place, NEW_FILE, 0o600);
        try {
            for await (const chunk of content) {
                writeAll(file, chunk);
                this.tally.bytes += chunk.length;
            }
            futimesSync(file, mtime, mtime);
            fchmodSync(file, mode & 0o777);
        } finally {
            closeSync(file);
        }
        this.tally.files++;
    }

    /** The place of an entry, whose folder this has made. */
    private placeOf({ kind, path }: { readonly kind: string; readonly path: string }): Buffer {
        const above = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
        const isRoot = kind === "folder" && path === "";
        if (this.kind === "file" ? this.tally.files > 0 : !isRoot && (path === "" || !this.made.has(above))) {
            throw new Error(`the pod's archive has ${shown(path)}, whose folder it doesn't have`);
        }
        return this.kind === "file" ? Buffer.from(this.content) : at(this.content, path);
    }

    /**
     * Sets permissions and times of the folders, at the place where they are now: a folder without the right to write can
     * neither be filled nor moved. Those that were there before the copy keep theirs.
     */
    finish(final: string, kept: (path: string) => boolean): void {
        for (const { mode, mtime, path } of this.folders.toReversed()) {
            if (!kept(path)) {
                const place = at(final, path);
                utimesSync(place, mtime, mtime);
                chmodSync(place, mode);
            }
        }
    }
}

/** The place of a path in bytes below a folder. */
export function at(folder: string, path: string): Buffer {
    return path === "" ? Buffer.from(folder) : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}

function writeAll(file: number, chunk: Buffer): void {
    for (let done = 0; done < chunk.length; ) {
        done += writeSync(file, chunk, done);
    }
}
