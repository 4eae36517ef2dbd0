// Compiles the package into dist/, puts the scripts, which tsc doesn't copy, beside their reader, and makes one file of
// the Kubernetes client. What was there stays until the new one is whole.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const draft = `dist.${process.pid}`;

try {
    compile();
    copyScripts();
    await bundleClient("provider/kube/clientNode");
    rmSync("dist", { recursive: true, force: true });
    renameSync(draft, "dist");
} catch (error) {
    rmSync(draft, { recursive: true, force: true });
    console.error(error.message);
    process.exitCode = 1;
}

function compile() {
    const words = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", draft];
    if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) {
        throw new Error("The package can't be compiled.");
    }
}

function copyScripts() {
    for (const from of ["components/scripts", "provider/fluxSubmission"]) {
        for (const script of readdirSync(from).filter((file) => !file.endsWith(".ts"))) {
            cpSync(`${from}/${script}`, `${draft}/${from}/${script}`);
        }
    }
}

/** @see docs/adr/0008-one-file-client.md */
async function bundleClient(module) {
    const { metafile } = await build({
        entryPoints: [`${module}.ts`],
        outfile: `${draft}/${module}.js`,
        bundle: true,
        format: "cjs",
        legalComments: "inline",
        logLevel: "error",
        metafile: true,
        minify: true,
        platform: "node",
        target: "node22",
    });
    writeFileSync(`${draft}/${module}.LICENSES.txt`, licenses(Object.keys(metafile.inputs)));
}

/** Whose code is in it, under which licence, with its text. */
function licenses(files) {
    const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
    return [...new Set(folders)].sort().map(license).join("\n\n");
}

function license(folder) {
    const { license: kind, name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)\b/i.test(file));
    if (kind === undefined && texts.length === 0) {
        throw new Error(`${folder} says nothing of its licence, so it can't be part of the package.`);
    }
    return [`${name} ${version}, ${kind}`, ...texts.map((file) => readFileSync(`${folder}/${file}`, "utf8").trim())].join("\n\n");
}
