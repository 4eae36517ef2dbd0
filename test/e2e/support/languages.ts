import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { languageToolchain } from "../../../local/languages";
import { plugin, root } from "../../../local/paths";
import { run } from "../../../local/run";
import { sdk } from "../../../local/sdk";
import type { Program } from "./stack";

export const LANGUAGES = ["go", "python", "yaml"] as const;

export type Language = (typeof LANGUAGES)[number];

/** Provides a language for the tests of the enclosing `describe`. Returns a function that finds an example by its name. */
export function useLanguage(language: Language): (example: string) => Program {
    let folder = "";
    let provider = plugin;
    let environment: Record<string, string> = {};
    before(async function () {
        // The first run compiles Pulumi's SDK for Go.
        this.timeout(1_200_000);
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        const { PATH = "" } = (await languageToolchain()).env;
        environment = { PATH, ...(await sdkEnvironment(language, folder, PATH)) };
        if (language === "yaml") {
            provider = { ...plugin, path: await unpackedArchive(folder) };
        }
    });
    after(() => rmSync(folder, { recursive: true, force: true }));
    return (example) => ({
        dir: join(root, "examples", language, example),
        host: { settings: { runtime: { name: language }, plugins: { providers: [provider] } }, environment },
    });
}

/** The folder of the plugin from its archive, which has no packages of this clone. One language is enough to test it. */
async function unpackedArchive(folder: string): Promise<string> {
    const [archives, unpacked] = [join(folder, "archives"), join(folder, "plugin")];
    await run(process.execPath, ["scripts/plugin.mjs", archives], { cwd: root });
    const archive = readdirSync(archives).find((name) => name.endsWith("-linux-amd64.tar.gz")) ?? "";
    mkdirSync(unpacked);
    await run("tar", ["--extract", "--file", join(archives, archive), "-C", unpacked]);
    return unpacked;
}

/** Environment variables with which programs find the generated SDK. A program in YAML needs none. */
async function sdkEnvironment(language: Language, folder: string, PATH: string): Promise<Record<string, string>> {
    switch (language) {
        case "go":
            return goEnvironment(await sdk("go"), folder, PATH);
        case "python":
            return pythonEnvironment(await sdk("python"), folder, PATH);
        case "yaml":
            return {};
    }
}

/** Go takes the modules of a workspace from their folders, also those that no go.mod requires. */
async function goEnvironment(source: string, folder: string, PATH: string): Promise<Record<string, string>> {
    const programs = ["quickstart", "workflow"].map((name) => join(root, "examples/go", name));
    const file = join(folder, "go.work");
    writeFileSync(file, `go 1.26\n${[source, ...programs].map((path) => `use ${JSON.stringify(path)}\n`).join("")}`);
    // With the flags of the other builds, Go takes the packages that they have compiled.
    const environment = { CGO_ENABLED: "0", GOFLAGS: "-trimpath", GOWORK: file };
    for (const cwd of programs) {
        await run("go", ["build", "-o", join(folder, "program")], {
            cwd,
            env: { ...process.env, PATH, ...environment },
        });
    }
    return environment;
}

/** Installs the SDK, because it asks Python for its own version. pip writes into the sources, so it gets a copy. */
async function pythonEnvironment(source: string, folder: string, PATH: string): Promise<Record<string, string>> {
    const [copy, packages] = [join(folder, "source"), join(folder, "packages")];
    cpSync(source, copy, { recursive: true });
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"];
    await run("python3", [...pip, "--target", packages, copy], { env: { ...process.env, PATH } });
    return { PYTHONPATH: packages };
}
