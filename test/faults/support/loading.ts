import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { run } from "../../../scripts/local/run";
import { installedPulumi, linkTogether, toolchain } from "../../../scripts/local/toolchain";

const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
};

/** Versions of what loads, bundles and installs a program. */
export const TOOLS = {
    "@rollup/plugin-commonjs": "29.0.3",
    "@rollup/plugin-json": "6.1.0",
    "@rollup/plugin-node-resolve": "16.0.3",
    "@vercel/ncc": "0.45.0",
    esbuild: devDependencies["esbuild"] ?? "",
    rollup: "4.68.8",
    "ts-node": "10.9.2",
    tsx: devDependencies["tsx"] ?? "",
    typescript: devDependencies["typescript"] ?? "",
    webpack: "5.113.0",
} as const;

/** Sources of programs. Only a loader that compiles TypeScript knows `enum`; Node only removes types. */
const SOURCES: Readonly<Record<string, string>> = {
    "index.cjs": `
        const pulumi = require("@pulumi/pulumi");
        const { MiniCluster } = require("flux-minicluster");
        const image = new pulumi.Config().get("image") ?? "flux";
        new MiniCluster("hello", { size: 1, image, command: ["true"] });`,
    "index.mjs": `
        import * as pulumi from "@pulumi/pulumi";
        import { MiniCluster } from "flux-minicluster";
        const image = new pulumi.Config().get("image") ?? "flux";
        new MiniCluster("hello", { size: 1, image, command: ["true"] });`,
    "types/index.ts": `
        import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";
        const args: MiniClusterArgs = { size: 1, image: "flux", command: ["true"] };
        new MiniCluster("hello", args);`,
    "compiled/index.ts": `
        import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";
        enum Size { One = 1 }
        const args: MiniClusterArgs = { size: Size.One, image: "flux", command: ["true"] };
        new MiniCluster("hello", args);`,
};

/** Options of the runtime in Pulumi.yaml. */
export interface RuntimeOptions {
    /** Whether Pulumi compiles TypeScript with ts-node. @default true */
    readonly typescript?: boolean;
    /** Arguments of the program's Node. */
    readonly nodeargs?: string;
}

/** A folder with the packed package, and folders of programs that install it. */
export class PackedPackage {
    private constructor(
        readonly folder: string,
        readonly tarball: string,
        private readonly pulumi: string,
    ) {}

    static async make(): Promise<PackedPackage> {
        const { env, pulumi } = await toolchain();
        Object.assign(process.env, env);
        const folder = mkdtempSync(join(tmpdir(), "loading-"));
        return new PackedPackage(folder, await pack(root, folder), dirname(pulumi));
    }

    remove(): void {
        rmSync(this.folder, { recursive: true, force: true });
    }

    /** A new program's folder, without its packages. */
    program(name: string, more: object = {}): LoadedProgram {
        return new LoadedProgram(this, join(this.folder, name), more);
    }

    /**
     * The folder of a Pulumi that knows these options. The engine sends them to the host of Node.js; the host that is built
     * here is older than the engine and takes them as its arguments only.
     */
    pulumiWith({ nodeargs = "", typescript = true }: RuntimeOptions): string {
        if (installedPulumi() !== undefined || (typescript && nodeargs === "")) {
            return this.pulumi;
        }
        const host = "pulumi-language-nodejs";
        const script = join(this.folder, `host${typescript}${nodeargs}`, host);
        mkdirSync(dirname(script), { recursive: true });
        const words = `-typescript=${typescript} -nodeargs='${nodeargs}'`;
        writeFileSync(script, `#!/bin/sh\nexec '${join(this.pulumi, host)}' ${words} "$@"\n`, { mode: 0o755 });
        const others = ["pulumi", "pulumi-resource-pulumi-nodejs"].map((name) => join(this.pulumi, name));
        return linkTogether([...others, script]);
    }

    get dependencies(): Readonly<Record<string, string>> {
        return {
            "flux-minicluster": `file:${this.tarball}`,
            "@pulumi/pulumi": devDependencies["@pulumi/pulumi"] ?? "",
            "@pulumi/kubernetes": devDependencies["@pulumi/kubernetes"] ?? "",
        };
    }

    /** A tarball of the same package as another version, whose verbs fail. */
    async otherCopy(): Promise<string> {
        const to = join(this.folder, "copy");
        mkdirSync(to);
        await run("tar", ["-xzf", this.tarball, "-C", to]);
        const source = join(to, "package");
        const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as object;
        writeFileSync(join(source, "package.json"), JSON.stringify({ ...manifest, version: "0.0.1" }));
        writeFileSync(
            join(source, "dist", "provider", "index.js"),
            'exports.verbs = () => { throw new Error("the verbs of the other copy"); };',
        );
        return pack(source, to);
    }
}

async function pack(source: string, to: string): Promise<string> {
    const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", to], { cwd: source });
    return join(to, (JSON.parse(packed) as [{ filename: string }])[0].filename);
}

/** A Pulumi program in a folder of its own, with its state. */
export class LoadedProgram {
    constructor(
        private readonly packed: PackedPackage,
        readonly folder: string,
        more: object,
    ) {
        for (const [name, text] of Object.entries(SOURCES)) {
            this.write(name, text);
        }
        const { dependencies } = packed;
        const manifest = { name: "program", version: "1.0.0", private: true, dependencies, ...more };
        this.write("package.json", JSON.stringify(manifest));
        this.write("kubeconfig", NOWHERE);
    }

    write(name: string, text: string): void {
        const path = join(this.folder, name);
        mkdirSync(join(path, ".."), { recursive: true });
        writeFileSync(path, text);
    }

    /** Copies a file from another program. */
    copy(from: LoadedProgram, name: string): void {
        mkdirSync(join(this.folder, name, ".."), { recursive: true });
        cpSync(join(from.folder, name), join(this.folder, name), { recursive: true });
    }

    /** Runs a program of this folder's node_modules, or of the path. */
    tool(name: string, ...words: string[]): Promise<string> {
        const PATH = `${join(this.folder, "node_modules", ".bin")}:${process.env["PATH"]}`;
        return run(name, words, { cwd: this.folder, env: { ...process.env, PATH } });
    }

    npm(...words: string[]): Promise<string> {
        return this.tool("npm", ...words, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error");
    }

    /** Requires that the first preview creates a cluster. */
    previews(main: string, options: RuntimeOptions = {}, environment: NodeJS.ProcessEnv = {}): void {
        const { text, status } = this.pulumi(main, options, environment, "preview");
        assert.equal(status, 0, text);
        assert.match(text, /\+ 7 to create\n/);
        assert.match(text, /dynamic\/flux-minicluster:IndexedJob +hello/);
    }

    /** Requires that the preview fails. Returns what it prints. */
    fails(main: string, options: RuntimeOptions = {}, environment: NodeJS.ProcessEnv = {}): string {
        const { text, status } = this.pulumi(main, options, environment, "preview");
        assert.notEqual(status, 0, text);
        return text;
    }

    /** Runs a command of Pulumi on the program's stack, which is created with the first. */
    pulumi(main: string, options: RuntimeOptions, environment: NodeJS.ProcessEnv, ...words: string[]) {
        const project = { name: "loading", runtime: { name: "nodejs", options }, main };
        this.write("Pulumi.yaml", JSON.stringify(project));
        const state = join(this.folder, "state");
        mkdirSync(state, { recursive: true });
        const env = {
            ...process.env,
            PATH: `${this.packed.pulumiWith(options)}:${process.env["PATH"]}`,
            KUBECONFIG: join(this.folder, "kubeconfig"),
            PULUMI_BACKEND_URL: `file://${state}`,
            PULUMI_CONFIG_PASSPHRASE: "",
            // Whether the types are right is tested elsewhere.
            PULUMI_NODEJS_TRANSPILE_ONLY: "true",
            ...environment,
        };
        const pulumi = (...all: string[]) => {
            const { status, stderr, stdout } = spawnSync("pulumi", [...all, "--non-interactive", "--color=never"], {
                cwd: this.folder,
                encoding: "utf8",
                env,
            });
            return { status, text: `${stdout}${stderr}` };
        };
        const selected = pulumi("stack", "select", "--create", "dev");
        assert.equal(selected.status, 0, selected.text);
        return pulumi(...words);
    }
}

/** The address of a server that isn't there: a first preview needs none. */
const NOWHERE = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "nowhere", cluster: { server: "https://127.0.0.1:9" } }],
    users: [{ name: "nobody", user: { token: "none" } }],
    contexts: [{ name: "nowhere", context: { cluster: "nowhere", user: "nobody" } }],
    "current-context": "nowhere",
});
