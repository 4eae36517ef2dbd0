import { isUtf8 } from "node:buffer";
import { constants, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

import { type Headers, pack, type Pack } from "../../provider/copy/tarStream";
import { emptyTally, type Tally } from "../../provider/copy/unpack";

/** The last second that the header of tar-stream can have; later times go into a header of their own. */
const LAST_SECOND = 2 ** 31 - 1;

/** A file or a folder that is copied, as an archive with one entry, `content`, and what is in it. */
export class Packing {
    readonly tally: Tally = emptyTally();
    readonly isFolder: boolean;
    private readonly tar: Pack = pack();

    /** A link is followed if it is named, and copied as a link below that. */
    constructor(
        private readonly path: string,
        private readonly starts: (name: string) => void = () => {},
    ) {
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats === undefined) {
            throw new Error(
                lstatSync(path, { throwIfNoEntry: false }) ? `${path} is a link to nothing` : `there is no ${path}`,
            );
        }
        if (!stats.isDirectory() && !stats.isFile()) {
            throw new Error(`${path} is neither a file nor a folder`);
        }
        this.isFolder = stats.isDirectory();
    }

    /** The archive. It is made while it is read. */
    archive(): AsyncIterable<Buffer> {
        this.add("content", this.path, statSync(this.path)).then(
            () => this.tar.finalize(),
            (error: unknown) => this.tar.destroy(error as Error),
        );
        return this.tar as unknown as AsyncIterable<Buffer>;
    }

    private async add(name: string, path: string, stats: Stats): Promise<void> {
        this.starts(path);
        if (stats.isFile()) {
            await this.addFile(name, path);
        } else if (stats.isDirectory()) {
            await this.entry({ ...headerOf(name, stats), type: "directory" });
            this.tally.folders++;
            for (const inside of namesIn(path)) {
                const below = join(path, inside);
                await this.add(`${name}/${inside}`, below, lstatSync(below));
            }
        } else if (stats.isSymbolicLink()) {
            await this.entry({ ...headerOf(name, stats), type: "symlink", linkname: readlinkSync(path) });
            this.tally.links++;
        } else {
            this.tally.skipped.push(`${path} is neither a file, a folder nor a link`);
        }
    }

    private entry(header: Headers): Promise<void> {
        return new Promise((resolve, reject) => {
            this.tar.entry(header, (error) => (error ? reject(error) : resolve()));
        });
    }

    /** The size in the header is the one at the start: a file that grows is copied up to there. */
    private async addFile(name: string, path: string): Promise<void> {
        const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
        try {
            const before = await file.stat();
            const { size } = before;
            const ended = new Promise<void>((resolve, reject) => {
                const sink = this.tar.entry({ ...headerOf(name, before), size, type: "file" }, (error) =>
                    error ? reject(error) : resolve(),
                );
                const content = size === 0 ? [] : file.createReadStream({ start: 0, end: size - 1, autoClose: false });
                pipeline(content, sink).catch(reject);
            });
            await ended.catch(async (error: Error) => {
                throw (await file.stat()).size < size ? new Error(`${path} became shorter while it was copied`) : error;
            });
            if ((await file.stat()).mtimeMs !== before.mtimeMs) {
                this.tally.skipped.push(`${path} changed while it was copied`);
            }
            this.tally.bytes += size;
            this.tally.files++;
        } finally {
            await file.close();
        }
    }
}

function headerOf(name: string, { mode, mtimeMs }: Stats): Headers {
    // tar has no time before 1970.
    const seconds = Math.max(0, Math.floor(mtimeMs / 1000));
    const isInHeader = seconds <= LAST_SECOND;
    const mtime = new Date(isInHeader ? seconds * 1000 : 0);
    return { name, mode: mode & 0o777, mtime, pax: isInHeader ? undefined : { mtime: String(seconds) } };
}

function namesIn(folder: string): string[] {
    return readdirSync(folder, { encoding: "buffer" }).map((name) => {
        if (!isUtf8(name)) {
            throw new Error(
                `${folder} has the name ${name.toString()}, which is not in UTF-8. Rename it, or copy an archive of it`,
            );
        }
        return name.toString();
    });
}
