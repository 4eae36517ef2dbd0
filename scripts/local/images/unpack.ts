import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { cacheDir, shortHash } from "../paths";
import { run } from "../run";
import { keepInUse, makeOnce } from "./folders";

/** Prefix of a file name. Such a file in a layer removes the file with the rest of the name from the layers below. */
const WHITEOUT = ".wh.";
/** Name of a file that removes all files of the layers below from its folder. */
const OPAQUE = ".wh..wh..opq";

/** The file system of an image archive that `docker save` has written. It is unpacked once on this machine. */
export async function unpackedRoot(tar: string): Promise<string> {
    const { mtimeMs, size } = statSync(tar);
    const folder = join(cacheDir, `root-${shortHash(tar, String(size), String(mtimeMs))}`);
    await makeOnce(folder, `unpacking ${basename(tar)}`, (draft) => unpackImage(tar, draft));
    keepInUse(folder);
    return folder;
}

/** Unpacks the layers of an image, one over the other. */
export async function unpackImage(tar: string, folder: string): Promise<void> {
    const archive = join(folder, ".archive");
    mkdirSync(archive);
    try {
        await run("tar", ["--extract", `--file=${tar}`, `--directory=${archive}`]);
        const [{ Layers: layers }] = JSON.parse(readFileSync(join(archive, "manifest.json"), "utf8")) as [
            { Layers: string[] },
        ];
        for (const layer of layers) {
            await unpackLayer(join(archive, layer), folder);
        }
        // The tests mount these folders.
        for (const name of ["dev", "proc", "tmp"]) {
            mkdirSync(join(folder, name), { recursive: true });
        }
        await run("chmod", ["1777", join(folder, "tmp")]);
    } finally {
        rmSync(archive, { recursive: true });
    }
}

async function unpackLayer(layer: string, folder: string): Promise<void> {
    const names = (await run("tar", ["--list", `--file=${layer}`])).split("\n");
    for (const name of names.filter((path) => basename(path).startsWith(WHITEOUT))) {
        const place = join(folder, dirname(name));
        const gone = basename(name) === OPAQUE ? entriesOf(place) : [basename(name).slice(WHITEOUT.length)];
        for (const entry of gone) {
            rmSync(join(place, entry), { recursive: true, force: true });
        }
    }
    const without = ["--exclude=dev/*", "--exclude=./dev/*", `--exclude=${WHITEOUT}*`];
    await run("tar", ["--extract", `--file=${layer}`, `--directory=${folder}`, "--numeric-owner", ...without]);
}

function entriesOf(folder: string): string[] {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
