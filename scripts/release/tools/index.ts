import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { withLock } from "../../local/lock";
import { cacheDir, nodeBinDir, shortHash } from "../../local/paths";
import { pythonEnvironment } from "../../local/python";
import { run } from "../../local/run";

/** Programs that only a release needs. They aren't among the packages of the clone, whose installation stays short. */
export interface Tools {
    /** The folder `node_modules` with packages of npm. */
    readonly packages: string;
    /** The Python that has the packages of requirements.txt. */
    readonly python: string;
    /** The words that run an npm client of another name. */
    readonly pnpm: readonly string[];
    readonly yarn: readonly string[];
}

export const node = join(nodeBinDir, "node");

const FILES = ["package.json", "package-lock.json"];

/** Installs the programs, once on this machine. */
export async function releaseTools(): Promise<Tools> {
    const [packages, python] = await Promise.all([
        npmPackages(),
        pythonEnvironment(join(__dirname, "requirements.txt")),
    ]);
    return {
        packages,
        python: join(python, "bin", "python3"),
        pnpm: [node, join(packages, "pnpm", "bin", "pnpm.mjs")],
        yarn: [node, join(packages, "@yarnpkg", "cli-dist", "bin", "yarn.js")],
    };
}

async function npmPackages(): Promise<string> {
    const sources = FILES.map((file) => join(__dirname, file));
    const folder = join(cacheDir, `release-tools-${shortHash(...sources.map((file) => readFileSync(file)))}`);
    await withLock(`${folder}.lock`, "installing the tools of a release", async () => {
        if (!existsSync(folder)) {
            const draft = `${folder}.${process.pid}`;
            rmSync(draft, { recursive: true, force: true });
            mkdirSync(draft, { recursive: true });
            FILES.forEach((file, index) => copyFileSync(sources[index], join(draft, file)));
            await run("npm", ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--loglevel=error"], {
                cwd: draft,
            });
            renameSync(draft, folder);
        }
    });
    return join(folder, "node_modules");
}
