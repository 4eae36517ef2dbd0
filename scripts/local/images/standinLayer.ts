import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { root } from "../paths";
import { run } from "../run";
import { packLayer } from "./archive";
import { withScratch } from "./folders";

const source = join(root, "test", "double", "image");
const installed = "usr/lib/flux-standin";

/** Every file of the stand-in, in a stable order. */
export function standinFiles(): string[] {
    return readdirSync(source, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("__pycache__"))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
}

export const standinContent = (): Buffer[] =>
    standinFiles().flatMap((path) => [Buffer.from(relative(source, path)), readFileSync(path)]);

/** Packs the stand-in, compiled by the Python of the layer below, because a broker's root may be read-only. */
export async function packStandin(tar: string, base: string): Promise<void> {
    await withScratch(`${tar}.root`, async (folder) => {
        await run("tar", ["--extract", `--file=${base}`, `--directory=${folder}`, "--exclude=./dev/*"]);
        for (const path of standinFiles()) {
            cpSync(path, join(folder, installed, relative(source, path)));
        }
        mkdirSync(join(folder, "usr/bin"), { recursive: true });
        // A separate prefix, as a view has it.
        mkdirSync(join(folder, installed, "bin"));
        await run("ln", ["-s", "../flux", join(folder, installed, "bin/flux")]);
        await run("ln", ["-s", `../lib/flux-standin/flux`, join(folder, "usr/bin/flux")]);
        await run("chroot", [
            folder,
            "/usr/bin/python3",
            "-m",
            "compileall",
            "-q",
            "--invalidation-mode",
            "unchecked-hash",
            `/${installed}`,
        ]);
        await packLayer(tar, folder, [`./${installed}`, "./usr/bin/flux"]);
    });
}

/** Packs a layer that gives the stand-in another version. */
export async function packVersion(tar: string, version: string): Promise<void> {
    await withScratch(`${tar}.root`, async (folder) => {
        mkdirSync(join(folder, installed), { recursive: true });
        writeFileSync(join(folder, installed, "VERSION"), `${version}\n`);
        await packLayer(tar, folder, [`./${installed}/VERSION`]);
    });
}
