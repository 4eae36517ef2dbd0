import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Language, languageEnvironment } from "../../../local/languages";
import { plugin, root } from "../../../local/paths";
import { unpackedPlugin } from "../../../local/pluginArchive";
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
            // One language is enough to test the archive.
            provider = await unpackedPlugin(folder);
        }
    });
    after(() => rmSync(folder, { recursive: true, force: true }));
    return (name) => ({
        dir: join(programs, name),
        host: { settings: { runtime: { name: language }, plugins: { providers: [provider] } }, environment },
    });
}
