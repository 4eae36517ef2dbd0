import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { SCRIPT_FILES } from "./support/scriptFile";

const root = join(__dirname, "../..");

/** Needs dist/. */
describe("the packed package", function () {
    this.timeout(60_000);
    let folder: string;
    let files: string[];

    /** Unpacked into the node_modules of a program that has its dependencies and peers, and nothing else. */
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "packed-"));
        const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
            cwd: root,
            encoding: "utf8",
            stdio: "pipe",
        });
        const [{ filename, files: list }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
        files = list.map(({ path }) => path);
        mkdirSync(join(folder, "node_modules"));
        execFileSync("tar", ["-xzf", join(folder, filename), "-C", join(folder, "node_modules")]);
        execFileSync("mv", [join(folder, "node_modules/package"), join(folder, "node_modules/flux-minicluster")]);
        for (const name of ["@pulumi", "smol-toml", "yaml"]) {
            symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
        }
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    const run = (program: string, name = "program.cjs") => {
        writeFileSync(join(folder, name), program);
        return execFileSync(process.execPath, [name], { cwd: folder, encoding: "utf8" }).trim();
    };

    it("contains the code, its types and every script", () => {
        for (const path of [
            "dist/index.js",
            "dist/index.d.ts",
            "dist/provider/index.js",
            "dist/provider/host/shim.js",
        ]) {
            assert.ok(files.includes(path), path);
        }
        const sent = [
            "job.sh",
            "agent/agent.sh",
            "agent/agent.py",
            ...["array.py", "history.py", "joboutput.py"].map((name) => `programs/${name}`),
        ].map((name) => join(root, "provider/flux", name));
        for (const script of [...SCRIPT_FILES.values(), ...sent]) {
            assert.ok(files.includes(join("dist", relative(root, script))), script);
        }
    });

    it("contains each type that the types of its three entries import", () => {
        const missing: string[] = [];
        const seen = new Set<string>();
        const visit = (path: string): void => {
            if (seen.has(path)) {
                return;
            }
            seen.add(path);
            if (!files.includes(path)) {
                missing.push(path);
                return;
            }
            const text = readFileSync(join(folder, "node_modules/flux-minicluster", path), "utf8");
            for (const [, name] of text.matchAll(/(?:from|import\() ?"(\.[^"]*)"/g)) {
                const target = join(dirname(path), name.replace(/\.js$/, ""));
                const isFolder = existsSync(join(root, target, "index.d.ts"));
                visit(isFolder ? join(target, "index.d.ts") : `${target}.d.ts`);
            }
        };
        ["dist/index.d.ts", "dist/provider/index.d.ts", "dist/provider/policy.d.ts"].forEach(visit);
        assert.deepEqual(missing, []);
        assert.ok(seen.size > 50, `${seen.size} files`);
    });

    it("contains nothing that only this repository needs", () => {
        const known = /^(dist|docs|examples)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
        assert.deepEqual(
            files.filter((path) => !known.test(path)),
            [],
        );
        assert.deepEqual(
            files.filter((path) => /\btest\b|\.spec\.|^dist\/scripts|\.ts\.map$|^dist\/.*(?<!\.d)\.ts$/.test(path)),
            [],
        );
        assert.deepEqual(
            files.filter((path) => /node_modules|Pulumi\..+\.yaml$|__pycache__/.test(path)),
            [],
        );
    });

    it("contains all to which its pages link", () => {
        const links = files
            .filter((page) => page.endsWith(".md"))
            .flatMap((page) =>
                [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#\s]+)/g)]
                    .filter(([, target]) => !/^\w+:/.test(target))
                    .map(([, target]) => ({ page, target, path: join(dirname(page), target) })),
            );
        assert.ok(links.length >= 400, `only ${links.length} links`);
        const isThere = (path: string) => files.some((file) => file === path || file.startsWith(`${path}/`));
        assert.deepEqual(
            links.filter(({ path }) => !isThere(path)).map(({ page, target }) => `${page}: ${target}`),
            [],
        );
    });

    it("contains examples that can be copied out and compile beside it", function () {
        this.slow(20_000);
        const copy = join(folder, "sweep");
        cpSync(join(folder, "node_modules/flux-minicluster/examples/sweep"), copy, { recursive: true });
        symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
        const compiler = join(root, "node_modules/typescript/bin/tsc");
        const { stdout } = spawnSync(process.execPath, [compiler, "--project", copy], { cwd: copy, encoding: "utf8" });
        assert.equal(stdout, "");
        const programs = files.filter((path) => /^examples\/[^/]+\/tsconfig\.json$/.test(path));
        const texts = new Set(programs.map((path) => readFileSync(join(root, path), "utf8")));
        assert.ok(programs.length > 10);
        assert.equal(texts.size, 1, "all examples have the same tsconfig.json");
    });

    it("contains the licences of the packages that the build bundles with the Kubernetes client", () => {
        const text = readFileSync(
            join(folder, "node_modules/flux-minicluster/dist/provider/kubernetes/clientNode.LICENSES.txt"),
            "utf8",
        );
        for (const name of ["@kubernetes/client-node", "jsep", "openid-client", "undici", "ws"]) {
            assert.match(text, new RegExp(`^${name} [0-9.]+, (Apache-2.0|MIT)$`, "m"));
        }
        // Their licences are in folders inside undici.
        for (const holder of ["Ethan Arrowood", "Paolo Insogna"]) {
            assert.ok(text.includes(holder), holder);
        }
    });

    it("stays below 7.5 MiB, and doesn't depend on the packages that the build bundles", () => {
        const { dependencies } = JSON.parse(
            readFileSync(join(folder, "node_modules/flux-minicluster/package.json"), "utf8"),
        );
        assert.deepEqual(Object.keys(dependencies), ["smol-toml", "yaml"]);
        const installed = join(folder, "node_modules/flux-minicluster");
        // Files alone: what a folder itself takes differs between file systems.
        const bytes = readdirSync(installed, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
        assert.ok(bytes < 7.5 * 1024 * 1024, `${bytes} bytes`);
    });

    it("exports what its types promise, to CommonJS and to ES modules", () => {
        const expected =
            "AfterEnd CurveKey Fit FluxJob FluxSubmission FluxTicket IndexedJob Interrupt JobStatus Keygen MiniCluster Network OnDamage " +
            "OnRankLoss Placement ResultRanks ViewMethod WaitFor Zone fromMPIJob fromOperator";
        assert.equal(run('console.log(Object.keys(require("flux-minicluster")).sort().join(" "))'), expected);
        const program =
            'import * as all from "flux-minicluster"; console.log(Object.keys(all).filter((key) => /^[A-Za-z]+$/.test(key) && key !== "default").sort().join(" "))';
        assert.equal(run(program, "program.mjs"), expected);
    });

    it("loads what converts a resource at the first conversion only", () => {
        const program = `
            const loaded = () => Object.keys(require.cache).filter((path) => /dist.convert./.test(path)).length;
            const { fromMPIJob, fromOperator } = require("flux-minicluster");
            const before = loaded();
            const ends = [fromMPIJob, fromOperator].map((convert) => {
                try {
                    return convert("a: 1");
                } catch ({ message }) {
                    return message.split(" with ")[0];
                }
            });
            console.log(JSON.stringify([before, loaded() > 20, ...ends]));`;
        const none = ["MPIJob", "MiniCluster"].map((kind) => `This text has no ${kind}`);
        assert.deepEqual(JSON.parse(run(program)), [1, true, ...none]);
    });

    it("compiles in a program that has only its dependencies", function () {
        this.slow(20_000);
        writeFileSync(join(folder, "types.ts"), 'import "flux-minicluster";\nimport "flux-minicluster/provider";\n');
        const options = [
            "--noEmit",
            "--strict",
            "--module",
            "nodenext",
            "--skipLibCheck",
            "false",
            "--types",
            "node",
            "--typeRoots",
            join(root, "node_modules/@types"),
        ];
        const compiler = join(root, "node_modules/typescript-native/bin/tsc");
        const { stdout } = spawnSync(process.execPath, [compiler, ...options, "types.ts"], {
            cwd: folder,
            encoding: "utf8",
        });
        // Errors in the types of other packages don't count.
        assert.deepEqual(
            stdout.split("\n").filter((line) => line.includes("flux-minicluster")),
            [],
        );
    });

    it("reads its scripts from where it is installed", () => {
        const installed = "./node_modules/flux-minicluster/dist/components";
        const program = `
            const { resolveSpec } = require("${installed}/arguments/decide");
            const { configFiles } = require("${installed}/pod/configMap");
            console.log(Object.keys(configFiles(resolveSpec("size", { image: "flux" }))).includes("start.sh"));`;
        assert.equal(run(program), "true");
    });

    describe("in a program that esbuild has bundled", () => {
        const bundled = (...external: string[]) => {
            const program = 'console.log(typeof require("flux-minicluster").MiniCluster);';
            writeFileSync(join(folder, "source.cjs"), program);
            const words = [
                "source.cjs",
                "--bundle",
                "--platform=node",
                "--outfile=bundle/index.cjs",
                "--log-level=error",
            ];
            const externals = ["@pulumi/*", ...external].map((name) => `--external:${name}`);
            execFileSync(join(root, "node_modules/.bin/esbuild"), [...words, ...externals], { cwd: folder });
            return spawnSync(process.execPath, ["bundle/index.cjs"], { cwd: folder, encoding: "utf8" });
        };

        it("fails with the cure, because the scripts of the pods aren't in the bundle", () => {
            assert.match(
                bundled().stderr,
                /Error: flux-minicluster is part of a bundle, .*--external:flux-minicluster/,
            );
        });

        it("is loaded if the bundle leaves it out", () => {
            assert.equal(bundled("flux-minicluster").stdout, "function\n");
        });
    });

    it("is found by the provider text in a stack's state", () => {
        const program = `
            const { shimText } = require("./node_modules/flux-minicluster/dist/provider/host/shimText");
            const types = ["CurveKey", "FluxSubmission", "FluxTicket", "IndexedJob", "JobStatus", "KeygenPod"];
            const found = types.map((type) => { const exports = {}; eval(shimText(type)); return Object.keys(exports.handler()).length; });
            console.log(found.join(" "));`;
        assert.equal(run(program), "6 6 6 6 6 6");
    });

    it("doesn't load the Kubernetes client before a verb needs it, so that previews are fast", () => {
        const program = `
            require("flux-minicluster");
            console.log(Object.keys(require.cache).filter((path) => path.includes("kubernetes/clientNode")).length);`;
        assert.equal(run(program), "0");
    });

    it("has executable command lines that print their usage", () => {
        const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
        const env = { ...process.env, npm_command: "" };
        // npx runs the program that has the name of the package.
        for (const [name, title] of [
            ["flux-minicluster", "minicluster"],
            ["minicluster", "minicluster"],
            ["kubectl-minicluster", "kubectl minicluster"],
        ]) {
            assert.ok(files.includes(bin[name]));
            const main = join(folder, "node_modules/flux-minicluster", bin[name]);
            assert.match(readFileSync(main, "utf8"), /^#!\/usr\/bin\/env node\n/);
            const help = execFileSync(process.execPath, [main, "--help"], { encoding: "utf8", env });
            assert.match(help, new RegExp(`^Usage: ${title} COMMAND`));
        }
    });

    it("doesn't load the Kubernetes client for help, and has the licences of the parser and of tar-stream", () => {
        const folderOf = join(folder, "node_modules/flux-minicluster/dist/cli");
        assert.match(
            readFileSync(join(folderOf, "parser/commander.LICENSES.txt"), "utf8"),
            /^commander [0-9.]+, MIT$/m,
        );
        const tarLicenses = readFileSync(join(folderOf, "../provider/copy/tarStream.LICENSES.txt"), "utf8");
        ["tar-stream", "streamx", "b4a"].forEach((name) =>
            assert.match(tarLicenses, new RegExp(`^${name} [0-9.]+, `, "m")),
        );
        const program = `
            const cli = "./node_modules/flux-minicluster/dist/cli";
            require(cli + "/parser/parser").parse(["submit", "--help"], require(cli + "/commands").COMMANDS);
            const loaded = (pattern) => Object.keys(require.cache).filter((path) => pattern.test(path)).length;
            console.log(loaded(/kube\\/|action\\.js$/), loaded(/definition\\.js$/));`;
        assert.equal(run(program), "0 20");
    });

    it("hides modules that aren't part of its interface", () => {
        assert.match(
            run('try { require("flux-minicluster/dist/index.js") } catch (error) { console.log(error.code) }'),
            /ERR_PACKAGE_PATH_NOT_EXPORTED/,
        );
    });
});
