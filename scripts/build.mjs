// Compiles the package into dist/, copies the scripts, which tsc doesn't copy, and makes one file each of the Kubernetes
// client and of gRPC. The old dist/ is kept until the new one is complete.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const draft = `dist.${process.pid}`;

/** Licences that don't require a copy of their text. */
const WITHOUT_TEXT = ["0BSD", "CC0-1.0", "Unlicense"];

/** Packages that don't contain their dependencies: what a bundle uses of these is among its files. */
const WITHOUT_DEPENDENCIES = ["node_modules/@pulumi/pulumi"];

try {
    compile();
    copyScripts();
    await bundle("provider/kube/clientNode");
    await bundle("provider/host/grpcNode");
    rmSync("dist", { recursive: true, force: true });
    renameSync(draft, "dist");
} catch (error) {
    rmSync(draft, { recursive: true, force: true });
    console.error(error.message);
    process.exitCode = 1;
}

function compile() {
    const words = ["node_modules/typescript-native/bin/tsc", "-p", "tsconfig.build.json", "--outDir", draft];
    if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) {
        throw new Error("The package can't be compiled.");
    }
}

function copyScripts() {
    const files = ["components", "provider"].flatMap((from) =>
        readdirSync(from, { recursive: true }).map((file) => `${from}/${file}`),
    );
    for (const script of files.filter((file) => /\.(sh|py|txt)$|\/pulumi-resource-/.test(file))) {
        cpSync(script, `${draft}/${script}`);
    }
}

/** @see docs/adr/0008-one-file-client.md */
async function bundle(module) {
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

/** The licences, with their texts, of all packages in the file. Some packages contain their own dependencies. */
function licenses(files) {
    const used = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
    const whole = [...used].filter((folder) => !WITHOUT_DEPENDENCIES.includes(folder));
    const contained = whole.flatMap((folder) =>
        Object.keys(manifest(folder).dependencies ?? {}).map((name) => `node_modules/${name}`),
    );
    const folders = [
        ...used,
        ...contained.filter((folder) => existsSync(folder) && !folder.startsWith("node_modules/@types/")),
    ];
    return [...new Set(folders)].sort().map(license).join("\n\n");
}

function license(folder) {
    const { license: kind, name, version } = manifest(folder);
    const files = readdirSync(folder, { recursive: true }).filter((file) => !file.includes("node_modules/"));
    const texts = files.filter(
        (file) =>
            /(^|\/)(licen[cs]e|notice|copying)(\.(md|txt))?$/i.test(file) && statSync(`${folder}/${file}`).isFile(),
    );
    if (texts.length === 0 && !WITHOUT_TEXT.includes(kind)) {
        throw new Error(`${folder} (${kind}) has no text of its licence, so the package can't contain it.`);
    }
    return [
        `${name} ${version}, ${kind}`,
        ...texts.map((file) => readFileSync(`${folder}/${file}`, "utf8").trim()),
    ].join("\n\n");
}

function manifest(folder) {
    return JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
}
