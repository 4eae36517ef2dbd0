import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Language, languageEnvironment } from "../../../scripts/local/languages";
import { plugin, root } from "../../../scripts/local/paths";
import { unpackedPlugin } from "../../../scripts/local/pluginArchive";
import { importPublicImage } from "./image";
import type { TestNamespace } from "./namespace";
import { grant } from "./rights";
import type { Program } from "./stack";
import { sharedCluster } from "./sharedCluster";

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

/** Runs the example `workflow`: a job, with a script from a ConfigMap, waits for the job whose output it needs. */
export async function runWorkflow(namespace: TestNamespace, example: ReturnType<typeof useLanguage>): Promise<void> {
    await grant(namespace, "configmaps", "patch");
    const image = await importPublicImage((await sharedCluster()).cluster);
    const { exitCode, result } = (await namespace.stack("workflow", example("workflow"), { image }).up()).outputs;
    assert.deepEqual([result, exitCode], ["55\n", 0]);
}
