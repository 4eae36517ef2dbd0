import { createHash } from "node:crypto";

import type { CodeArchive } from "./archive";
import { type CodeFolder, type CodeSource, isEmptyFolder } from "./folder";

/** The code of a cluster in the inputs of its Job: everything but the contents. */
export interface Code extends CodeSource {
    /** SHA-256 of the archive. */
    readonly hash: string;
    /** Number of ConfigMaps among which the archive is divided. */
    readonly parts: number;
    /** Number of files and links. */
    readonly count: number;
    /** Size of all files. */
    readonly bytes: number;
    /** Each file with a mark of its content; of more than 500 files, each folder. */
    readonly files: Readonly<Record<string, string>>;
    /** The patterns by which files and folders were left out. */
    readonly leftOut: readonly string[];
    /** Parts that a refresh has not found. */
    readonly missing?: readonly string[];
}

/** The code of a FluxJob, which Flux keeps in an archive. */
export type JobCode = Omit<Code, "missing" | "parts">;

/** The archive's name. It tells the content, so all FluxJobs with this code may use it. */
export function archiveName({ hash }: Pick<Code, "hash">): string {
    return `minicluster-code-${hash}`;
}

/** Most bytes of the packed code. */
export const MOST_PACKED = 16 * 2 ** 20;
/** Most bytes of a part. Kubernetes allows 1 MiB. */
const PART = 1_000_000;
const MOST_PARTS = Math.ceil(MOST_PACKED / PART);

/** Key of a part in its ConfigMap. */
export const PART_KEY = "part";

/** What is known of the code without its contents. */
export function codeOf(source: CodeSource, folder: CodeFolder, archive: CodeArchive): Code {
    const { exclude, include } = source;
    return {
        source: source.source,
        exclude,
        include,
        hash: archive.hash,
        // By the archive's size before it is packed: a packed size isn't the same in all versions of Node.
        parts: Math.min(Math.ceil(archive.length / PART), MOST_PARTS),
        count: folder.files.filter((file) => !isEmptyFolder(file)).length,
        bytes: archive.bytes,
        files: marksOf(archive.files),
        leftOut: folder.leftOut,
    };
}

/** Names of the ConfigMaps. They have a hash of the code, so no pod ever gets parts of two codes. */
export function partNames(cluster: string, { hash, parts }: Pick<Code, "hash" | "parts">): string[] {
    const names = Array.from({ length: parts }, (_, index) => String(index).padStart(3, "0"));
    return names.map((name) => `${cluster}-code-${shortCode(hash)}-${name}`);
}

/** The hash as names and labels have it. */
export function shortCode(hash: string): string {
    return hash.slice(0, 10);
}

type Marks = Readonly<Record<string, string>>;

/** Most entries of the list in the inputs. */
const MOST_MARKS = 500;

/** The files with their marks; of many files, the deepest folders of which there are not too many. */
export function marksOf(files: Marks): Marks {
    const paths = Object.keys(files);
    if (paths.length <= MOST_MARKS) {
        return files;
    }
    const deepest = Math.max(...paths.map((path) => path.split("/").length)) - 1;
    for (let depth = deepest; depth > 0; depth--) {
        const folders = byFolder(files, depth);
        if (folders.size <= MOST_MARKS) {
            return marksOfFolders(folders);
        }
    }
    return marksOfFolders(byFolder(files, 0));
}

function byFolder(files: Marks, depth: number): Map<string, string[]> {
    const folders = new Map<string, string[]>();
    for (const [path, mark] of Object.entries(files)) {
        const folder = `${["."].concat(path.split("/").slice(0, -1).slice(0, depth)).join("/")}/`;
        const lines = folders.get(folder) ?? [];
        lines.push(JSON.stringify([path, mark]));
        folders.set(folder, lines);
    }
    return folders;
}

function marksOfFolders(folders: ReadonlyMap<string, readonly string[]>): Marks {
    const marks = [...folders].map(([folder, lines]): [string, string] => {
        const hash = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 8);
        return [folder, `${lines.length} files, ${hash}`];
    });
    return Object.fromEntries(marks);
}
