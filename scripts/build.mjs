// Compiles the package into dist/, copies the scripts, which tsc doesn't copy, and makes one file each of the Kubernetes
// client, of gRPC, of the parser of command lines, of tar-stream and of the chart library, with a bill of what is in them. The
// old dist/ is kept until the new one is complete.
import { spawnSync } from "node:child_process";
import {
    chmodSync,
    cpSync,
    lstatSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    renameSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { bundle } from "./bundle.mjs";
import { licenses, packagesOf } from "./licenses.mjs";
import { SBOM_FILE, sbom } from "./sbom.mjs";

const draft = `dist.${process.pid}`;
const bundles = {};

try {
    compile();
    writeEntry();
    copyScripts();
    await bundleModule("cli/parser/commander");
    await bundleModule("provider/copy/tarStream");
    await bundleModule("provider/kubernetes/clientNode");
    await bundleModule("plugin/server/grpcNode");
    await bundleModule("cli/report/page/plotNode");
    writeFileSync(`${draft}/${SBOM_FILE}`, sbom(manifest(), bundles));
    linkPrograms();
    rmSync("dist", { recursive: true, force: true });
    renameSync(draft, "dist");
} catch (error) {
    rmSync(draft, { recursive: true, force: true });
    console.error(error.message);
    process.exitCode = 1;
}

function compile() {
    const words = ["node_modules/typescript-native/bin/tsc", "-p", "scripts/tsconfig.build.json", "--outDir", draft];
    if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) {
        throw new Error("The package can't be compiled.");
    }
}

/** The package's entry, `dist/index.js`: components/index.ts has the exports. */
function writeEntry() {
    writeFileSync(`${draft}/index.js`, 'module.exports = require("./components");\n');
    writeFileSync(`${draft}/index.d.ts`, 'export * from "./components";\n');
}

function copyScripts() {
    const files = ["cli", "components", "plugin", "provider"].flatMap((from) =>
        readdirSync(from, { recursive: true }).map((file) => `${from}/${file}`),
    );
    for (const script of files.filter((file) => /\.(json|py|sh|txt)$|\/pulumi-resource-/.test(file))) {
        if (script.endsWith(".json")) {
            writeFileSync(`${draft}/${script}`, JSON.stringify(JSON.parse(readFileSync(script, "utf8"))));
        } else {
            cpSync(script, `${draft}/${script}`);
        }
    }
}

/** In a new clone, npm has installed the package before its programs are built, so it has neither done this nor linked them. */
function linkPrograms() {
    const { bin } = manifest();
    mkdirSync("node_modules/.bin", { recursive: true });
    for (const [name, path] of Object.entries(bin)) {
        chmodSync(path.replace(/^dist/, draft), 0o755);
        const link = `node_modules/.bin/${name}`;
        if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
            symlinkSync(`../../${path}`, link);
        }
    }
}

/** @see docs/adr/0008-one-file-client.md */
async function bundleModule(module) {
    const files = await bundle({ entryPoints: [`${module}.ts`], outfile: `${draft}/${module}.js` });
    bundles[`dist/${module}.js`] = packagesOf(files, false);
    writeFileSync(`${draft}/${module}.LICENSES.txt`, licenses(packagesOf(files)));
}

function manifest() {
    return JSON.parse(readFileSync("package.json", "utf8"));
}
