import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { type JobCode, marksOf } from "../contract/code/code";
import { archiveOf } from "../contract/code/archive";
import { listFolder } from "../contract/code/folder";
import { changedFiles } from "./words";

/** Packs the code again, and refuses a folder that is not as the program has seen it. Returns the packed archive. */
export async function pack(code: JobCode): Promise<Buffer> {
    const archive = archiveOf(listFolder(code));
    if (archive.hash !== code.hash) {
        const changes = changedFiles(code, { files: marksOf(archive.files) });
        throw new Error(
            `the folder ${code.source} has changed since this update has read it (${changes}). Run the update again, ` +
                "to see the change in its preview",
        );
    }
    return promisify(gzip)(Buffer.concat(archive.chunks), { level: 9 });
}
