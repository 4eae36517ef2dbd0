import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { run } from "../run";
import { packLayer } from "./archive";
import { withScratch } from "./folders";

const source = join(__dirname, "standin");
const installed = "usr/lib/flux-standin";

/** Every file of the stand-in, in a stable order. */
export function standinFiles(): string[] {
    return readdirSync(source, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("__pycache__"))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
}

export const standinContent = (): Buffer[] => standinFiles().flatMap((path) => [Buffer.from(relative(source, path)), readFileSync(path)]);

/** The stand-in alone, compiled by the Python of the layer below: brokers may run on a read-only root. */
export async function packStandin(tar: string, base: string): Promise<void> {
    await withScratch(`${tar}.root`, async (root) => {
        await run("tar", ["--extract", `--file=${base}`, `--directory=${root}`, "--exclude=./dev/*"]);
        for (const path of standinFiles()) {
            cpSync(path, join(root, installed, relative(source, path)));
        }
        mkdirSync(join(root, "usr/bin"), { recursive: true });
        // A prefix of its own, as a view has one.
        mkdirSync(join(root, installed, "bin"));
        await run("ln", ["-s", "../flux", join(root, installed, "bin/flux")]);
        await run("ln", ["-s", `../lib/flux-standin/flux`, join(root, "usr/bin/flux")]);
        await run("chroot", [root, "/usr/bin/python3", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", `/${installed}`]);
        await packLayer(tar, root, [`./${installed}`, "./usr/bin/flux"]);
    });
}

/** A layer that makes the stand-in say it is another version. */
export async function packVersion(tar: string, version: string): Promise<void> {
    await withScratch(`${tar}.root`, async (root) => {
        mkdirSync(join(root, installed), { recursive: true });
        writeFileSync(join(root, installed, "VERSION"), `${version}\n`);
        await packLayer(tar, root, [`./${installed}/VERSION`]);
    });
}
