import { gzipSync } from "node:zlib";

import { type Code, codeOf } from "../../../provider/contract/code/code";
import { archiveOf, type CodeArchive } from "../../../provider/contract/code/archive";
import { type CodeFolder, type CodeSource, isEmptyFolder, listFolder } from "../../../provider/contract/code/folder";
import type { CodeFolderArgs } from "./args";

/** What is in the folder of the code. */
export interface Found {
    /** Why the folder can't be read. */
    readonly failure?: string;
    readonly folder?: CodeFolder;
    /** Undefined if the files can't be sent: none of them is read then. */
    readonly code?: Code;
    /** Size of the packed files, if it may be too large. */
    readonly packed?: number;
    readonly windowsScripts: readonly string[];
}

/** A folder with all decisions. */
export interface FolderSpec extends CodeSource {
    readonly found: Found;
}

/** The code with all decisions. */
export interface CodeSpec extends FolderSpec {
    readonly path: string;
}

/** Most bytes of all files. More are not read. */
export const MOST_BYTES = 64 * 2 ** 20;
/** Packed code below this size is neither refused nor warned of. */
export const LARGE = 5 * 2 ** 20;

/** By the arguments of a component, whose spec is decided several times: each time it must have the same code. */
const known = new WeakMap<CodeFolderArgs, Found>();

/** Reads the folder. */
export function folderOf(args: CodeFolderArgs): FolderSpec {
    const { exclude = [], include = [], source } = args;
    const folder = { source, exclude, include };
    const found = known.get(args) ?? read(folder);
    known.set(args, found);
    return { ...folder, found };
}

function read(source: CodeSource): Found {
    let folder: CodeFolder | undefined;
    try {
        folder = listFolder(source);
        const bytes = folder.files.reduce((sum, { size }) => sum + size, 0);
        const { files, isCut, secrets, unfit } = folder;
        const isFit = unfit.length === 0 && secrets.length === 0 && !isCut && !files.every(isEmptyFolder);
        if (!isFit || bytes > MOST_BYTES) {
            return { folder, windowsScripts: [] };
        }
        const archive = archiveOf(folder);
        const { windowsScripts } = archive;
        return { folder, code: codeOf(source, folder, archive), packed: packedSize(archive), windowsScripts };
    } catch (error) {
        return { folder, failure: (error as Error).message, windowsScripts: [] };
    }
}

/** Only of large code: packing takes longer than reading. */
function packedSize({ chunks, length }: CodeArchive): number | undefined {
    return length <= LARGE ? undefined : gzipSync(Buffer.concat(chunks), { level: 9 }).length;
}
