import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { buildImages, standinImage } from "../../../local/images";
import { makeOnce } from "../../../local/images/folders";
import { cacheDir, shortHash } from "../../../local/paths";
import { run } from "../../../local/run";

/** A folder with another Flux to hold these tests against, for instance the real one. */
const otherRoot = process.env["FLUX_TEST_ROOT"];

export const isStandin = otherRoot === undefined;

/** The root of a file system with `flux` in it. */
export async function fluxRoot(): Promise<string> {
    if (otherRoot !== undefined) {
        return otherRoot;
    }
    const image = (await buildImages()).find(({ name }) => name === standinImage);
    if (image === undefined) {
        throw new Error(`buildImages() made no ${standinImage}.`);
    }
    return makeOnce(join(cacheDir, `root-${shortHash(image.tar)}`), "unpacking the stand-in's image", (draft) => unpack(image.tar, draft));
}

async function unpack(tar: string, draft: string): Promise<void> {
    const layers = join(draft, "layers");
    mkdirSync(layers);
    await run("tar", ["--extract", `--file=${tar}`, `--directory=${layers}`]);
    for (let index = 0; existsSync(join(layers, `layer${index}.tar`)); index++) {
        await run("tar", ["--extract", `--file=${join(layers, `layer${index}.tar`)}`, `--directory=${draft}`]);
    }
    rmSync(layers, { recursive: true });
}
