import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type CodeFile, type CodeFolder, isEmptyFolder } from "./folder";

/** The files of a folder as an archive, before it is compressed. Equal files give equal bytes on every machine. */
export interface CodeArchive {
    /** SHA-256 of the archive. The pods compare it with what they have got. */
    readonly hash: string;
    readonly chunks: readonly Buffer[];
    /** Size of the archive. */
    readonly length: number;
    /** Size of all files. */
    readonly bytes: number;
    /**
     * Each file with a short hash of its content, and `x` before that if it is executable. A link has its target. An empty
     * folder has a path that ends with `/`.
     */
    readonly files: Readonly<Record<string, string>>;
    /** Scripts whose first line has the end of lines of Windows, so Linux doesn't find their interpreter. */
    readonly windowsScripts: readonly string[];
}

/** Reads the files. Throws if one can't be read. */
export function archiveOf({ files, root }: Pick<CodeFolder, "files" | "root">): CodeArchive {
    const hash = createHash("sha256");
    const chunks: Buffer[] = [];
    const listed: [string, string][] = [];
    const windowsScripts: string[] = [];
    let bytes = 0;
    for (const file of files) {
        const isFile = file.link === undefined && !isEmptyFolder(file);
        const { content, isExecutable } = isFile ? read(root, file) : NOTHING;
        const hashed = () => createHash("sha256").update(content).digest("hex").slice(0, 8);
        listed.push([file.path, isFile ? `${isExecutable ? "x " : ""}${hashed()}` : markOf(file)]);
        if (/^#!.*\r\n/.test(content.subarray(0, 200).toString("latin1"))) {
            windowsScripts.push(file.path);
        }
        bytes += content.length;
        chunks.push(...entry(file, content, isExecutable));
    }
    chunks.push(Buffer.alloc(2 * BLOCK));
    chunks.forEach((chunk) => hash.update(chunk));
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    return { hash: hash.digest("hex"), chunks, length, bytes, files: Object.fromEntries(listed), windowsScripts };
}

function markOf({ link }: CodeFile): string {
    return link === undefined ? "empty folder" : `-> ${link}`;
}

const NOTHING = { content: Buffer.alloc(0), isExecutable: false };

/** Reads a file. It doesn't wait for a writer if a FIFO has taken the file's place. */
function read(root: string, { path }: CodeFile): { content: Buffer; isExecutable: boolean } {
    const file = openSync(join(root, path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
        const stats = fstatSync(file);
        if (!stats.isFile()) {
            throw new Error(`${path} is no file any more`);
        }
        const content = readFileSync(file);
        // Windows has no such permission.
        const isExecutable =
            process.platform === "win32" ? content.toString("latin1", 0, 2) === "#!" : isRunnable(stats);
        return { content, isExecutable };
    } finally {
        closeSync(file);
    }
}

function isRunnable({ mode }: { readonly mode: number }): boolean {
    return (mode & 0o100) !== 0;
}

/* The format is ustar with GNU's entries for long names, which GNU tar, busybox and bsdtar read. No archive has owners or times. */

const BLOCK = 512;
const LONGEST_NAME = 100;

function entry({ link = "", path }: CodeFile, content: Buffer, isExecutable: boolean): Buffer[] {
    const isFolder = isEmptyFolder({ path });
    const type = isFolder ? "5" : link === "" ? "0" : "2";
    const long = [...longName("L", path), ...longName("K", link)];
    const own = { type, name: path, link, size: content.length, isExecutable: isExecutable || isFolder };
    return [...long, header(own), ...padded(content)];
}

/** An entry with a name that is too long for the header of the next one. */
function longName(type: string, name: string): Buffer[] {
    if (Buffer.byteLength(name) <= LONGEST_NAME) {
        return [];
    }
    const content = Buffer.from(`${name}\0`);
    return [header({ type, name: "././@LongLink", link: "", size: content.length }), ...padded(content)];
}

function padded(content: Buffer): Buffer[] {
    const rest = content.length % BLOCK;
    return content.length === 0 ? [] : rest === 0 ? [content] : [content, Buffer.alloc(BLOCK - rest)];
}

interface Header {
    readonly type: string;
    readonly name: string;
    readonly link: string;
    readonly size: number;
    readonly isExecutable?: boolean;
}

/** @see https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function header({ isExecutable, link, name, size, type }: Header): Buffer {
    const block = Buffer.alloc(BLOCK);
    const octal = (value: number, at: number, digits: number) =>
        block.write(value.toString(8).padStart(digits, "0"), at, "latin1");
    Buffer.from(name).copy(block, 0, 0, LONGEST_NAME);
    octal(isExecutable ? 0o755 : 0o644, 100, 7);
    octal(0, 108, 7);
    octal(0, 116, 7);
    octal(size, 124, 11);
    octal(0, 136, 11);
    block.write(" ".repeat(8), 148, "latin1");
    block.write(type, 156, "latin1");
    Buffer.from(link).copy(block, 157, 0, LONGEST_NAME);
    block.write("ustar\x0000", 257, "latin1");
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return block;
}
