/* The parts of tar-stream that `cp` uses. The build makes one file of them and their licences. */
import type { Writable } from "node:stream";

import { extract, type Header } from "tar-stream";

export { type Pack, pack } from "tar-stream";

/** The header of an entry. The records of a pax header are in `pax`. */
export type Headers = Partial<Omit<Header, "pax">> & {
    readonly name: string;
    readonly pax?: Readonly<Record<string, string>> | null;
};

/** An entry of an archive: its header, and its content in chunks. */
export interface ArchiveEntry extends AsyncIterable<Buffer> {
    readonly header: Headers;
    resume(): unknown;
}

/** Reads an archive. Each byte of a name is a character of latin1, because a name may have any bytes. */
export function entriesOf(): AsyncIterable<ArchiveEntry> & Writable {
    // Its types don't know the option, and its streams are those of Node to a pipeline.
    const options: object = { filenameEncoding: "latin1" };
    return extract(options) as unknown as AsyncIterable<ArchiveEntry> & Writable;
}
