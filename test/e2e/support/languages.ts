import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Language, languageEnvironment } from "../../../local/languages";
import { plugin, root } from "../../../local/paths";
import { run } from "../../../local/run";
import type { Program } from "./stack";

/**
 * Provides a language for the tests of the enclosing `describe`. Returns a function that finds a program by its name in
 * the folder, which is that of the examples by default.
 */
export function useLanguage(
    language: Language,
    programs = join(root, "examples", language),
): (name: string) => Program {
    let folder = "";
    let provider = plugin;
    let environment: Record<string, string> = {};
    before(async function () {
        // The first run compiles Pulumi's SDK for Go.
        this.timeout(1_200_000);
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        environment = await languageEnvironment(language, programs, folder);
        if (language === "yaml") {
            provider = { ...plugin, path: await unpackedArchive(folder) };
        }
    });
    after(() => rmSync(folder, { recursive: true, force: true }));
    return (name) => ({
        dir: join(programs, name),
        host: { settings: { runtime: { name: language }, plugins: { providers: [provider] } }, environment },
    });
}

/** The folder of the plugin from its archive, which has no packages of this clone. One language is enough to test it. */
async function unpackedArchive(folder: string): Promise<string> {
    const unpacked = join(folder, "plugin");
    mkdirSync(unpacked);
    await run("tar", ["--extract", "--file", await pluginArchive(join(folder, "archives")), "-C", unpacked]);
    return unpacked;
}

/** Makes the archives of the plugin in a folder. Returns the path of that for this machine. */
export async function pluginArchive(folder: string): Promise<string> {
    await run(process.execPath, ["scripts/plugin.mjs", folder], { cwd: root });
    return join(folder, readdirSync(folder).find((name) => name.endsWith("-linux-amd64.tar.gz")) ?? "");
}
