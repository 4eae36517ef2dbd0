import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { archive, EPOCH } from "../archive.mjs";
import { run } from "../local/run";
import { makeSdk } from "../local/sdk";
import { node, type Tools } from "./tools";

/** The file with the checksums of all others. */
export const CHECKSUMS = "SHA256SUMS";

/** What a release consists of: the names of its files. */
export interface Artifacts {
    readonly folder: string;
    readonly version: string;
    readonly npm: string;
    /** The plugin's archives, one for each platform. */
    readonly plugins: readonly string[];
    readonly wheel: string;
    readonly sdist: string;
    readonly go: string;
    readonly schema: string;
    /** The bills of materials, of the npm package and of the plugin. */
    readonly bills: readonly string[];
}

interface Build {
    /** The clone with the sources. */
    readonly clone: string;
    readonly out: string;
    readonly tools: Tools;
    readonly draft: string;
    readonly version: string;
    readonly environment: NodeJS.ProcessEnv;
}

/** Builds all files of a release from the sources in a clone. */
export async function makeArtifacts(
    clone: string,
    out: string,
    tools: Tools,
    environment: NodeJS.ProcessEnv = process.env,
): Promise<Artifacts> {
    const draft = mkdtempSync(join(tmpdir(), "flux-minicluster-release-"));
    const { version } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8")) as { version: string };
    const build = { clone, out, tools, draft, version, environment };
    mkdirSync(out, { recursive: true });
    // Wheels have the modes of new files.
    const mask = process.umask(0o022);
    try {
        await run(node, ["scripts/build.mjs"], { cwd: clone, env: environment });
        const npm = await npmPackage(build);
        const plugins = await pluginArchives(build);
        const [wheel, sdist] = await pythonPackages(build);
        const go = await goModule(build);
        const schema = `flux-minicluster-v${version}.schema.json`;
        cpSync(join(clone, "plugin", "schema.json"), join(out, schema));
        const bills = billsOf(build);
        writeFileSync(join(out, CHECKSUMS), checksums(out));
        return { folder: out, version, npm, plugins, wheel, sdist, go, schema, bills };
    } finally {
        process.umask(mask);
        rmSync(draft, { recursive: true, force: true });
    }
}

/** npm leaves the modes of the files as they are in the clone, so its archive is packed again. */
async function npmPackage({ clone, draft, environment, out }: Build): Promise<string> {
    const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", draft];
    const [{ filename }] = JSON.parse(await run("npm", words, { cwd: clone, env: environment })) as [
        { filename: string },
    ];
    await repack(join(draft, filename), join(draft, "npm"), "package", join(out, filename));
    return filename;
}

async function repack(file: string, unpacked: string, name: string, to: string): Promise<void> {
    mkdirSync(unpacked);
    await run("tar", ["--extract", "--file", file, "-C", unpacked]);
    archive(unpacked, name, to);
}

async function pluginArchives({ clone, draft, environment, out }: Build): Promise<string[]> {
    await run(node, ["scripts/plugin.mjs", draft], { cwd: clone, env: environment });
    const names = readdirSync(draft).filter((name) => /^pulumi-resource-.*\.tar\.gz$/.test(name));
    for (const name of names) {
        // The folders can be on different file systems.
        cpSync(join(draft, name), join(out, name));
    }
    return names.sort();
}

/** The wheel and the source distribution. setuptools writes times into the latter, so its content is packed again. */
async function pythonPackages(build: Build): Promise<[string, string]> {
    const { clone, draft, out, tools } = build;
    const sources = join(draft, "python");
    await makeSdk("python", join(clone, "plugin", "schema.json"), sources);
    writeFileSync(join(sources, "LICENSE"), readFileSync(join(clone, "LICENSE")));
    cpSync(join(sources, "pulumi_flux_minicluster", "README.md"), join(sources, "README.md"));
    const env = { ...build.environment, SOURCE_DATE_EPOCH: String(EPOCH) };
    const made = join(draft, "wheels");
    await run(tools.python, ["-m", "build", "--no-isolation", "--outdir", made, sources], { env });
    const [sdist = "", wheel = ""] = readdirSync(made).sort(
        (a, b) => Number(a.endsWith(".whl")) - Number(b.endsWith(".whl")),
    );
    await repack(join(made, sdist), join(draft, "sdist"), sdist.replace(/\.tar\.gz$/, ""), join(out, sdist));
    cpSync(join(made, wheel), join(out, wheel));
    return [wheel, sdist];
}

/** The folder `sdk` of the Go module, as the repository of a release has it below its tag. */
async function goModule({ clone, draft, out, version }: Build): Promise<string> {
    const folder = join(draft, "sdk", "go");
    await makeSdk("go", join(clone, "plugin", "schema.json"), folder);
    cpSync(join(clone, "LICENSE"), join(folder, "LICENSE"));
    const name = `flux-minicluster-v${version}-sdk-go.tar.gz`;
    archive(draft, "sdk", join(out, name));
    return name;
}

/** The bills are in the npm package and in the plugin's archives too. Scanners also take them as files of their own. */
function billsOf({ clone, draft, out }: Build): string[] {
    const bills = {
        "sbom-npm.cdx.json": join(clone, "dist", "sbom.cdx.json"),
        "sbom-plugin.cdx.json": join(draft, "pulumi-resource-flux-minicluster", "sbom.cdx.json"),
    };
    for (const [name, source] of Object.entries(bills)) {
        cpSync(source, join(out, name));
    }
    return Object.keys(bills);
}

/** As `sha256sum --check` reads it. */
function checksums(folder: string): string {
    const names = readdirSync(folder).filter((name) => name !== CHECKSUMS);
    const sum = (name: string) =>
        createHash("sha256")
            .update(readFileSync(join(folder, name)))
            .digest("hex");
    return names
        .sort()
        .map((name) => `${sum(name)}  ${name}\n`)
        .join("");
}
