import { cpSync, existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root, shortHash } from "../local/paths";
import { run } from "../local/run";
import { stage, staged } from "./stage";

const here = join(root, "scripts/site");

const packages = join(here, "node_modules");

/** The built site. */
export const site = join(here, "dist/html");

/** Installs the site's packages, which are not those of the package. */
export async function installSite(): Promise<void> {
    const mark = join(packages, ".installed");
    const hash = shortHash(readFileSync(join(here, "package-lock.json")));
    if (!existsSync(mark) || readFileSync(mark, "utf8") !== hash) {
        console.log("Installing the packages of the site (a minute).");
        await run("npm", ["ci", "--silent", "--ignore-scripts"], { cwd: here });
        writeFileSync(mark, hash);
    }
}

/** Removes what TypeDoc writes as HTML, which the site doesn't take: the anchors of properties, and the links to them. */
function withoutAnchors(folder: string): void {
    for (const path of globSync("**/*.md", { cwd: folder }).map((name) => join(folder, name))) {
        writeFileSync(
            path,
            readFileSync(path, "utf8").replaceAll(/<a id="[^"]*"><\/a> ?|(?<=\.md)#property-[\w-]+/g, ""),
        );
    }
}

/** Builds the site from the repository's pages, the types and the schema. Returns its folder. */
export async function buildSite(): Promise<string> {
    await installSite();
    stage();
    await run(process.execPath, [join(packages, "typedoc/bin/typedoc"), "--options", join(here, "typedoc.json")], {
        cwd: root,
    });
    withoutAnchors(join(staged, "api"));
    cpSync(join(here, "vitepress"), join(staged, ".vitepress"), { recursive: true });
    // Vite looks for packages in the folders above the pages.
    if (!existsSync(join(here, "dist/node_modules"))) {
        symlinkSync(packages, join(here, "dist/node_modules"));
    }
    await run(process.execPath, [join(packages, "vitepress/bin/vitepress.js"), "build", staged], { cwd: here });
    return site;
}
