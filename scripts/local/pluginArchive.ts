import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { plugin, root } from "./paths";
import { run } from "./run";

/** Makes the archives of the plugin in a folder. Returns the path of that for this machine. */
export async function pluginArchive(folder: string): Promise<string> {
    await run(process.execPath, ["scripts/plugin.mjs", folder], { cwd: root });
    return join(folder, readdirSync(folder).find((name) => name.endsWith("-linux-amd64.tar.gz")) ?? "");
}

/** What Pulumi.yaml names for the plugin from its archive, as users install it: with no packages of this clone. */
export async function unpackedPlugin(folder: string): Promise<typeof plugin> {
    const path = join(folder, "plugin");
    mkdirSync(path);
    await run("tar", ["--extract", "--file", await pluginArchive(join(folder, "archives")), "-C", path]);
    return { ...plugin, path };
}
