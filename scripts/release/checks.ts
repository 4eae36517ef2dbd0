import { readFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "../local/run";
import type { Artifacts } from "./artifacts";
import { node, type Tools } from "./tools";

/** Looks for mistakes in the manifest of the npm package, in its entries and in the files that they name. */
export async function publint({ packages }: Tools, { folder, npm }: Artifacts): Promise<void> {
    await run(node, [join(packages, "publint", "src", "cli.js"), "run", join(folder, npm), "--strict"]);
}

/**
 * Resolves the types of each entry as CommonJS and as ES modules do. The package has no entries for `node10`, an older
 * resolution which knows no `exports`: only its main entry has types there.
 */
export async function areTheTypesWrong({ packages }: Tools, { folder, npm }: Artifacts): Promise<void> {
    const program = join(packages, "@arethetypeswrong", "cli", "dist", "index.js");
    await run(node, [program, join(folder, npm), "--profile", "node16", "--format", "ascii", "--no-emoji"]);
}

/** Validates the bills against CycloneDX's schema, and looks for what they have to name. */
export async function bills({ packages }: Tools, { bills: names, folder }: Artifacts): Promise<void> {
    const [npm = "", plugin = ""] = names.map((name) => join(folder, name));
    const library = join(packages, "@cyclonedx", "cyclonedx-library");
    const script = `
        const { Spec, Validation } = require(${JSON.stringify(library)});
        const text = require("fs").readFileSync(process.argv[1], "utf8");
        new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text).then((error) => {
            if (error !== null) { console.error(error); process.exitCode = 1; }
        });`;
    for (const bill of [npm, plugin]) {
        await run(node, ["--eval", script, bill]);
    }
    requireNames(npm, ["client-node", "commander", "grpc-js", "plot", "smol-toml", "tar-stream", "yaml"]);
    requireNames(plugin, ["client-node", "grpc-js", "kubernetes", "pulumi", "smol-toml", "yaml"]);
}

function requireNames(file: string, names: readonly string[]): void {
    const { components } = JSON.parse(readFileSync(file, "utf8")) as { components: { name: string }[] };
    const known = new Set(components.map(({ name }) => name));
    const missing = names.filter((name) => !known.has(name));
    if (missing.length > 0) {
        throw new Error(`${file} doesn't name ${missing.join(", ")}.`);
    }
}
