import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { withLock } from "../../../scripts/local/lock";
import { cacheDir, shortHash } from "../../../scripts/local/paths";
import { run } from "../../../scripts/local/run";

/**
 * Installs npm packages into a folder of the cache, once on this machine. Returns the folder. With `scripts`, npm runs
 * the packages' own scripts: that of the package `node` installs the program.
 */
export async function npmFolder(dependencies: Readonly<Record<string, string>>, scripts = false): Promise<string> {
    const folder = join(cacheDir, `npm-${shortHash(JSON.stringify(dependencies))}`);
    if (existsSync(folder)) {
        return folder;
    }
    const what = Object.entries(dependencies).map((words) => words.join("@"));
    await withLock(`${folder}.lock`, `installing ${what.join(" ")}`, async () => {
        if (!existsSync(folder)) {
            const draft = `${folder}.${process.pid}`;
            mkdirSync(draft, { recursive: true });
            writeFileSync(
                join(draft, "package.json"),
                JSON.stringify({ name: "versions", private: true, dependencies }),
            );
            const words = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
            await run("npm", [...words, ...(scripts ? [] : ["--ignore-scripts"])], { cwd: draft, env: process.env });
            renameSync(draft, folder);
        }
    });
    return folder;
}

/** The folder of a version of Node. */
export async function nodeFolder(version: string): Promise<string> {
    return join(await npmFolder({ node: version }, true), "node_modules", ".bin");
}
