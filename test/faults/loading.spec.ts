import assert from "node:assert/strict";
import { join } from "node:path";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "../e2e/support/namespace";
import { type LoadedProgram, PackedPackage, type RuntimeOptions, TOOLS } from "./support/loading";
import { npmFolder } from "./support/npmFolder";

const PART_OF_BUNDLE = /Error: flux-minicluster is part of a bundle, without the scripts of its pods/;
/** What each bundle leaves out. */
const PULUMI = ["@pulumi/kubernetes", "@pulumi/pulumi"];

/** Each row of "Bundlers, package managers and copies" in docs/pulumi-limits.md, on the real engine. Needs a registry. */
describe("ways to load a program:", function () {
    // Installations with empty caches over a slow network take minutes.
    this.timeout(900_000);
    let packed: PackedPackage;
    let npm: LoadedProgram;
    let pnpm: LoadedProgram;

    before(async () => {
        packed = await PackedPackage.make();
        npm = packed.program("npm", { devDependencies: TOOLS });
        await npm.npm("install");
    });
    after(() => packed.remove());

    it("npm is previewed", () => npm.previews("index.cjs"));

    it("npm without packages for development is previewed", async () => {
        const program = packed.program("production", { devDependencies: TOOLS });
        program.copy(npm, "package-lock.json");
        await program.npm("ci", "--omit=dev");
        program.previews("index.cjs");
        assert.match(await program.tool("ls", "node_modules"), /^flux-minicluster$/m);
        assert.doesNotMatch(await program.tool("ls", "node_modules"), /^webpack$/m);
    });

    it("npm link is previewed", async () => {
        const program = packed.program("linked");
        const { "flux-minicluster": _, ...dependencies } = packed.dependencies;
        program.write("package.json", JSON.stringify({ name: "program", private: true, dependencies }));
        await program.npm("install");
        // The user's own folder for links stays as it is.
        program.write("global/lib/node_modules/.keep", "");
        await program.tool("env", `npm_config_prefix=${join(program.folder, "global")}`, "npm", "link", root);
        assert.equal((await program.tool("readlink", "-f", "node_modules/flux-minicluster")).trim(), root);
        program.previews("index.cjs");
    });

    it("pulumi install and npm is previewed", () => {
        const program = packed.program("installed");
        const { status, text } = program.pulumi("index.cjs", {}, {}, "install");
        assert.equal(status, 0, text);
        program.previews("index.cjs");
    });

    it("pnpm, isolated, is previewed", async () => {
        pnpm = await installedByPnpm("isolated");
        pnpm.previews("index.cjs");
    });

    it("pnpm, hoisted, is previewed", async () => (await installedByPnpm("hoisted")).previews("index.cjs"));

    async function installedByPnpm(nodeLinker: string): Promise<LoadedProgram> {
        const program = packed.program(`pnpm-${nodeLinker}`);
        program.write("pnpm-workspace.yaml", JSON.stringify({ packages: ["."], nodeLinker }));
        const tools = await npmFolder({ pnpm: "10.34.9" });
        await program.tool(join(tools, "node_modules", ".bin", "pnpm"), "install", "--ignore-scripts");
        return program;
    }

    it("Yarn with Plug'n'Play is previewed", async () => {
        const program = packed.program("yarn");
        program.write(".yarnrc.yml", JSON.stringify({ enableTelemetry: false, nodeLinker: "pnp" }));
        program.write("yarn.lock", "");
        const tools = await npmFolder({ "@yarnpkg/cli-dist": "4.18.1" });
        await program.tool(join(tools, "node_modules", ".bin", "yarn"), "install", "--mode=skip-build");
        const NODE_OPTIONS = `--require ${join(program.folder, ".pnp.cjs")}`;
        program.previews("index.cjs", {}, { NODE_OPTIONS });
    });

    it("npm with two copies in a workspace is previewed, with the verbs of its own copy", async () => {
        const program = packed.program("workspace", { workspaces: ["part"] });
        program.write(
            "part/package.json",
            JSON.stringify({
                name: "part",
                version: "1.0.0",
                dependencies: { "flux-minicluster": `file:${await packed.otherCopy()}` },
            }),
        );
        program.write("part/index.js", 'exports.MiniCluster = require("flux-minicluster").MiniCluster;');
        program.write(
            "index.cjs",
            `const own = require("flux-minicluster").MiniCluster;
             const other = require("part").MiniCluster;
             if (own === other) throw new Error("There is one copy only.");
             new other("hello", { size: 1, image: "flux", command: ["true"] });`,
        );
        await program.npm("install");
        program.previews("index.cjs");
    });

    const typescript: [string, string, RuntimeOptions][] = [
        ["ts-node", "compiled", {}],
        ["tsx", "compiled", { typescript: false, nodeargs: "--import=tsx" }],
        ["Node's own TypeScript", "types", { typescript: false }],
    ];
    for (const [loader, folder, options] of typescript) {
        it(`${loader} is previewed`, () => npm.previews(`${folder}/index.ts`, options));
    }

    it("Node's own TypeScript doesn't compile what ts-node and tsx do", () => {
        assert.match(npm.fails("compiled/index.ts", { typescript: false }), /enum is not supported/);
    });

    /** How each bundler makes `to/index.cjs` or `to/index.mjs`, without the packages that it leaves out. */
    const bundlers: Record<string, (to: string, leftOut: readonly string[]) => Promise<unknown>> = {
        "esbuild, CommonJS": (to, leftOut) => esbuild("cjs", `${to}/index.cjs`, leftOut),
        "esbuild, ES module": (to, leftOut) => esbuild("esm", `${to}/index.mjs`, leftOut),
        webpack: (to, leftOut) => {
            const externals = Object.fromEntries(leftOut.map((name) => [name, `commonjs ${name}`]));
            npm.write(
                "webpack.cjs",
                `const options = {
                     mode: "none", target: "node", entry: "./index.cjs", context: __dirname,
                     output: { path: __dirname + "/${to}", filename: "index.cjs" },
                     externals: ${JSON.stringify(externals)},
                 };
                 require("webpack")(options, (error, stats) => {
                     if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
                 });`,
            );
            return npm.tool("node", "webpack.cjs");
        },
        "Rollup, CommonJS": (to, leftOut) => rollup("cjs", `${to}/index.cjs`, leftOut),
        "Rollup, ES module": (to, leftOut) => rollup("es", `${to}/index.mjs`, leftOut),
        ncc: (to, leftOut) =>
            npm.tool("ncc", "build", "index.cjs", "--out", to, ...leftOut.flatMap((name) => ["--external", name])),
        Bun: async (to, leftOut) => {
            const bun = join(await npmFolder({ bun: "1.4.5" }, true), "node_modules", ".bin", "bun");
            const externals = leftOut.flatMap((name) => ["--external", name]);
            const words = ["build", "index.cjs", "--target=node", "--format=cjs", `--outfile=${to}/index.cjs`];
            return npm.tool(bun, ...words, ...externals);
        },
    };

    function esbuild(format: string, outfile: string, leftOut: readonly string[]): Promise<string> {
        const externals = leftOut.map((name) => `--external:${name}`);
        const words = ["--bundle", "--platform=node", `--format=${format}`, `--outfile=${outfile}`];
        return npm.tool("esbuild", format === "esm" ? "index.mjs" : "index.cjs", ...words, ...externals);
    }

    function rollup(format: string, file: string, leftOut: readonly string[]): Promise<string> {
        const plugins = ["node-resolve", "commonjs", "json"].flatMap((name) => ["--plugin", name]);
        const source = format === "es" ? "index.mjs" : "index.cjs";
        return npm.tool(
            "rollup",
            source,
            "--format",
            format,
            "--file",
            file,
            ...plugins,
            "--external",
            leftOut.join(","),
        );
    }

    /** What fails says the cure, except for esbuild's own message. */
    const failures: Record<string, RegExp> = {
        "esbuild, ES module": /Dynamic require of "[^"]+" is not supported/,
    };

    for (const [bundler, make] of Object.entries(bundlers)) {
        const file = bundler.endsWith("ES module") ? "index.mjs" : "index.cjs";
        const folder = bundler.replaceAll(/\W+/g, "-");

        if (bundler === "Bun") {
            it("Bun as a bundle is previewed beside the node_modules from which it was made", async () => {
                await make(`bundles/${folder}`, PULUMI);
                npm.previews(`bundles/${folder}/${file}`);
            });
        } else {
            it(`${bundler}, as a bundle, fails with one sentence`, async () => {
                await make(`bundles/${folder}`, PULUMI);
                assert.match(npm.fails(`bundles/${folder}/${file}`), failures[bundler] ?? PART_OF_BUNDLE);
            });
        }

        it(`${bundler}, as a bundle that leaves the package out, is previewed`, async () => {
            const to = `bundles/${folder}-outside`;
            await make(to, [...PULUMI, "flux-minicluster"]);
            npm.previews(`${to}/${file}`);
        });
    }

    describe("on a cluster,", () => {
        const namespace = useNamespace();

        const ways: Record<string, () => Promise<[LoadedProgram, string]>> = {
            npm: async () => [npm, "index.cjs"],
            "a bundle of esbuild that leaves the package out": async () => {
                await bundlers["esbuild, CommonJS"]("bundles/up", [...PULUMI, "flux-minicluster"]);
                return [npm, "bundles/up/index.cjs"];
            },
            "pnpm, isolated": async () => [pnpm ?? (await installedByPnpm("isolated")), "index.cjs"],
        };
        for (const [way, make] of Object.entries(ways)) {
            it(`${way} creates and destroys it`, async () => {
                const [program, main] = await make();
                const pulumi = (...words: string[]) => {
                    const { status, text } = program.pulumi(main, {}, { KUBECONFIG: namespace.kubeconfig }, ...words);
                    assert.equal(status, 0, text);
                    return text;
                };
                pulumi("config", "set", "image", namespace.image);
                assert.match(pulumi("up", "--yes", "--skip-preview"), /\+ 7 created/);
                assert.notDeepEqual(await namespace.objects(), []);
                assert.match(pulumi("destroy", "--yes", "--skip-preview"), /- 7 deleted/);
                await namespace.assertNothingLeft();
            });
        }
    });
});
