import {
    accessSync,
    constants,
    lstatSync,
    mkdtempSync,
    readdirSync,
    realpathSync,
    renameSync,
    rmSync,
    type Stats,
    statSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { at } from "../../provider/copy/unpack";
import { shown } from "../../provider/copy/archiveEntry";

/**
 * Where a copy goes on this machine. It is made in a folder beside its place, on the same disk, and gets there at once
 * when it is complete.
 */
export class LocalPlace {
    readonly final: string;
    private readonly folder: string;
    /** Folders that were there before, relative to the copy. */
    private readonly kept = new Set<string>();

    /** `base` is the name that the copy gets if `target` is a folder; without it, the content goes into the folder. */
    constructor(target: string, base: string) {
        const there = statOf(target);
        if (there === undefined && /[\\/]$/.test(target)) {
            throw new Error(`there is no folder ${target}`);
        }
        this.final = there?.isDirectory() && base !== "" ? join(target, base) : target;
        const where = statOf(this.final)?.isDirectory() ? this.final : dirname(this.final);
        if (!statOf(where)?.isDirectory()) {
            throw new Error(`there is no folder ${where}`);
        }
        this.folder = mkdtempSync(join(realpathSync(where), ".minicluster-cp-"));
    }

    /** Where the copy is made. */
    get content(): string {
        return join(this.folder, "content");
    }

    /** True for a folder that was there before the copy. */
    isKept(path: string): boolean {
        return this.kept.has(path);
    }

    /** Moves the copy to its place. Folders that exist get its content, and their other files stay. */
    put(): void {
        this.check("");
        this.move("");
    }

    remove(): void {
        rmSync(this.folder, { recursive: true, force: true });
    }

    /** Fails if a file is to replace a folder, or the other way round. */
    requireKind(kind: "file" | "folder" | undefined): void {
        // The target may be a link, because the user has named it: to a folder, or to a device.
        const end = kindOf(statOf(this.final));
        const isFollowed = end === "folder" || end === "other";
        this.requireSame(this.final, kind === "folder", isFollowed ? end : kindOf(lstatOf(Buffer.from(this.final))));
    }

    private requireSame(name: string, isFolder: boolean, there: Kind | undefined): void {
        if (there === "other") {
            throw new Error(`${name} is neither a file nor a folder`);
        }
        if (there !== undefined && isFolder !== (there === "folder")) {
            throw new Error(`${name} is a ${there}, and not the ${isFolder ? "folder" : "file"} that it is to be`);
        }
    }

    /** Fails if something can't be put at its place, before anything is. */
    private check(path: string): void {
        const there = path === "" ? kindOf(statOf(this.final)) : kindOf(lstatOf(at(this.final, path)));
        const isFolder = lstatSync(at(this.content, path)).isDirectory();
        this.requireSame(`${this.final}/${shown(path)}`, isFolder, there);
        if (there === "folder" && isFolder) {
            requireWritable(at(this.final, path), `${this.final}/${shown(path)}`);
            this.kept.add(path);
            this.namesIn(path).forEach((name) => this.check(name));
        }
    }

    private move(path: string): void {
        const [from, to] = [at(this.content, path), at(this.final, path)];
        if (this.kept.has(path)) {
            this.namesIn(path).forEach((name) => this.move(name));
        } else {
            renameSync(from, to);
        }
    }

    private namesIn(path: string): string[] {
        const names = readdirSync(at(this.content, path), { encoding: "buffer" }).map((name) =>
            name.toString("latin1"),
        );
        return names.map((name) => (path === "" ? name : `${path}/${name}`));
    }
}

/** `other`: a device, a pipe or a socket. */
type Kind = "file" | "folder" | "link" | "other";

function kindOf(stats: Stats | undefined): Kind | undefined {
    if (stats === undefined) {
        return undefined;
    }
    if (stats.isDirectory()) {
        return "folder";
    }
    return stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : "other";
}

function requireWritable(folder: string | Buffer, name: string): void {
    try {
        accessSync(folder, constants.W_OK);
    } catch {
        throw new Error(`${name} can't be written to`);
    }
}

function statOf(path: string): Stats | undefined {
    return statSync(path, { throwIfNoEntry: false });
}

function lstatOf(path: Buffer): Stats | undefined {
    return lstatSync(path, { throwIfNoEntry: false });
}
