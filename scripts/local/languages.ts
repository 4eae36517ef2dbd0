import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import * as pieces from "./pieces";
import { pythonEnvironment as pythonPackages } from "./python";
import { run } from "./run";
import { sdk } from "./sdk";
import { toolchain, type Toolchain } from "./toolchain";

export const LANGUAGES = ["go", "python", "yaml"] as const;

export type Language = (typeof LANGUAGES)[number];

const HOSTS = [pieces.pulumiLanguageGo, pieces.pulumiLanguagePython, pieces.pulumiLanguageYaml];

/** Pulumi for programs in Go, Python and YAML. `make demo` and `make cluster` never build their hosts. */
export async function languageToolchain(): Promise<Toolchain> {
    const { env, pulumi } = await toolchain(HOSTS);
    // The host of Python that is built here ignores the project's virtual environment. It runs the first python3 on PATH.
    const path = [join(await pythonPackages(), "bin"), env["PATH"]];
    return { pulumi, env: { ...env, PATH: path.join(delimiter) } };
}

/**
 * Environment variables with which the programs in a folder run and find the generated SDK. A program in YAML needs no
 * SDK. `draft` is a folder for files that only these programs need.
 */
export async function languageEnvironment(
    language: Language,
    programs: string,
    draft: string,
): Promise<Record<string, string>> {
    const { PATH = "" } = (await languageToolchain()).env;
    switch (language) {
        case "go":
            return { PATH, ...(await goEnvironment(await sdk("go"), programs, draft, PATH)) };
        case "python":
            return { PATH, ...(await pythonEnvironment(await sdk("python"), draft, PATH)) };
        case "yaml":
            return { PATH };
    }
}

/** Go takes the modules of a workspace from their folders, also those that no go.mod requires. */
async function goEnvironment(
    source: string,
    programs: string,
    draft: string,
    PATH: string,
): Promise<Record<string, string>> {
    const modules = readdirSync(programs, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const folders = modules.map(({ name }) => join(programs, name));
    const file = join(draft, "go.work");
    writeFileSync(file, `go 1.26\n${[source, ...folders].map((path) => `use ${JSON.stringify(path)}\n`).join("")}`);
    // With the flags of the other builds, Go takes the packages that they have compiled.
    const environment = { CGO_ENABLED: "0", GOFLAGS: "-trimpath", GOWORK: file };
    for (const cwd of folders) {
        await run("go", ["build", "-o", join(draft, "program")], {
            cwd,
            env: { ...process.env, PATH, ...environment },
        });
    }
    return environment;
}

/** Installs the SDK, because it asks Python for its own version. pip writes into the sources, so it gets a copy. */
async function pythonEnvironment(source: string, draft: string, PATH: string): Promise<Record<string, string>> {
    const [copy, packages] = [join(draft, "source"), join(draft, "packages")];
    cpSync(source, copy, { recursive: true });
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"];
    await run("python3", [...pip, "--target", packages, copy], { env: { ...process.env, PATH } });
    return { PYTHONPATH: packages };
}
