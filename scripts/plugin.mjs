// Makes the archives of the provider plugin, one for each platform, in the folder of the first argument. They contain the
// compiled package and one file with all that it uses of Pulumi's SDKs, and need Node. Run it after the build.
import {
    chmodSync,
    copyFileSync,
    cpSync,
    linkSync,
    mkdirSync,
    readFileSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { archive } from "./archive.mjs";
import { bundle } from "./bundle.mjs";
import { licenses, packagesOf } from "./licenses.mjs";
import { SBOM_FILE, bundlesIn, sbom } from "./sbom.mjs";

const PLATFORMS = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64"];

/** The largest archive, in bytes. */
const MOST = 5_000_000;

/** What the plugin's files import, by the name of the package. */
const PACKAGES = ["@pulumi/kubernetes", "@pulumi/pulumi", "smol-toml", "yaml"];

/**
 * Parts of the SDK that turn functions into text, for dynamic resources. The plugin has no dynamic resources, and these
 * parts contain a compiler.
 */
const UNUSED = /^(@npmcli\/arborist|normalize-package-data|typescript|ts-node|.*\/typescript-shim)$/;

const out = process.argv[2];
if (out === undefined) {
    throw new Error("The folder for the archives is missing: npm run plugin -- FOLDER");
}
const folder = join(out, "pulumi-resource-flux-minicluster");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { name, version } = manifest;

const isUsed = (file) => !file.endsWith(".d.ts") && file !== join("dist", SBOM_FILE);
cpSync("dist", join(folder, "dist"), { recursive: true, filter: isUsed });
copyFileSync("package.json", join(folder, "package.json"));
copyFileSync("LICENSE", join(folder, "LICENSE"));
await bundlePackages();
write("pulumi-resource-flux-minicluster", '#!/bin/sh\nexec node "$(dirname "$0")/dist/plugin/main.js" "$@"\n', 0o755);
write("pulumi-resource-flux-minicluster.cmd", '@echo off\r\nnode "%~dp0dist\\plugin\\main.js" %*\r\n', 0o755);
pack();

/** One file with all packages, and a folder for each package that refers to it. */
async function bundlePackages() {
    const entry = PACKAGES.map((of) => `exports["${of}"] = require("${of}");`).join("\n");
    const files = await bundle({
        stdin: { contents: entry, resolveDir: "." },
        outfile: join(folder, "packages.js"),
        keepNames: true,
        plugins: [{ name: "unused", setup: leaveOut }],
    });
    const packages = packagesOf(files, false);
    write("LICENSES.txt", licenses(packages));
    writeSbom(packages);
    for (const of of PACKAGES) {
        const up = "../".repeat(of.split("/").length + 1);
        write(`node_modules/${of}/index.js`, `module.exports = require("${up}packages.js")["${of}"];\n`);
    }
}

/** The archive has all packages that it needs, so npm installs none. */
function writeSbom(packages) {
    const { dependencies: _, peerDependencies: __, ...alone } = manifest;
    const inDist = bundlesIn(readFileSync(join("dist", SBOM_FILE), "utf8"));
    write(SBOM_FILE, sbom(alone, { ...inDist, "packages.js": packages }));
}

function leaveOut({ onLoad, onResolve }) {
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: "unused" }));
    onLoad({ filter: /./, namespace: "unused" }, () => ({ contents: "module.exports = {};" }));
}

function write(file, text, mode = 0o644) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
}

/** Pulumi looks for these names. All archives have the same content. */
function pack() {
    const [first, ...others] = PLATFORMS.map((of) => join(out, `pulumi-resource-${name}-v${version}-${of}.tar.gz`));
    archive(folder, ".", first);
    const { size } = statSync(first);
    if (size > MOST) {
        throw new Error(`The plugin's archive has ${size} bytes; at most ${MOST} are allowed. See what became larger.`);
    }
    for (const other of others) {
        rmSync(other, { force: true });
        linkSync(first, other);
    }
    console.log(`${first}: ${(size / 1e6).toFixed(1)} MB`);
}
