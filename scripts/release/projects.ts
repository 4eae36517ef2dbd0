import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, posix } from "node:path";

import { languageToolchain } from "../local/languages";
import { root } from "../local/paths";
import { pulumiKubernetes } from "../local/pieces";
import { run } from "../local/run";
import { installKubernetes } from "../local/toolchain";
import { ADDRESSES, goModule } from "./addresses";
import type { Artifacts } from "./artifacts";
import { goSettings } from "./goProxy";
import type { Registry } from "./registries";
import type { Tools } from "./tools";

/** A new project of a user, whose packages come from registries. */
export interface Project {
    /** The client that installs the packages. */
    readonly client: string;
    /** The folder in the repository from which the project is made: a template or an example. */
    readonly template: string;
    /** Installs the packages. Returns the version of the Kubernetes provider that the project then needs. */
    install(place: Place): Promise<string>;
}

/** The folder of a project, its environment, and Pulumi in both. */
interface Place {
    readonly folder: string;
    readonly env: NodeJS.ProcessEnv;
    pulumi(...words: readonly string[]): Promise<string>;
}

/** What projects are made of. */
interface Sources {
    readonly artifacts: Artifacts;
    readonly go: Registry;
    readonly npm: Registry;
    readonly python: Registry;
    readonly tools: Tools;
}

/** How users install the packages: with each client of npm, with pip, with Go, and for YAML only the plugin. */
export function projects({ artifacts, go, npm, python, tools }: Sources): Project[] {
    const byNpm = (client: string, install: (folder: string) => Promise<unknown>): Project => ({
        client,
        template: "templates/typescript",
        install: async ({ folder }) => {
            await install(folder);
            return installedVersion(folder, "@pulumi/kubernetes");
        },
    });
    const plugin = join(artifacts.folder, artifacts.plugins[0]);
    const installPlugin = async ({ pulumi }: Place) => {
        await pulumi("plugin", "install", "resource", "flux-minicluster", artifacts.version, "--file", plugin);
        // That in the archive.
        return installedVersion(root, "@pulumi/kubernetes");
    };
    return [
        byNpm("npm", (folder) => npmInstall(npm, folder)),
        byNpm("pnpm", (folder) => pnpmInstall(tools, npm, folder)),
        byNpm("Yarn", (folder) => yarnInstall(tools, npm, folder)),
        {
            client: "pip",
            template: "templates/python",
            install: async (place) => {
                await pipInstall(python, place.folder);
                return installPlugin(place);
            },
        },
        {
            client: "Go",
            template: "examples/go/quickstart",
            install: async (place) => {
                await goGet(go, artifacts.version, place);
                return installPlugin(place);
            },
        },
        { client: "Pulumi", template: "templates/yaml", install: installPlugin },
    ];
}

async function npmInstall({ url }: Registry, cwd: string): Promise<void> {
    writeFileSync(join(cwd, ".npmrc"), `registry=${url}\n`);
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd });
}

async function pnpmInstall({ pnpm: [node = "", ...words] }: Tools, { url }: Registry, cwd: string): Promise<void> {
    writeFileSync(join(cwd, ".npmrc"), `registry=${url}\n`);
    // pnpm only takes packages that are a day old. That of the release is not.
    const settings = { minimumReleaseAgeExclude: ["flux-minicluster"], storeDir: join(cwd, ".store") };
    writeFileSync(join(cwd, "pnpm-workspace.yaml"), JSON.stringify(settings));
    await run(node, [...words, "install", "--ignore-scripts", "--no-frozen-lockfile"], { cwd });
}

async function yarnInstall({ yarn: [node = "", ...words] }: Tools, { url }: Registry, cwd: string): Promise<void> {
    const settings = {
        enableGlobalCache: false,
        enableScripts: false,
        enableTelemetry: false,
        // The user's own has what Yarn knows of earlier registries on this machine, with their ports.
        globalFolder: join(cwd, ".yarn", "global"),
        // Yarn only takes packages that are a day old. That of the release is not.
        npmPreapprovedPackages: ["flux-minicluster"],
        nodeLinker: "node-modules",
        npmRegistryServer: url,
        unsafeHttpWhitelist: ["127.0.0.1"],
    };
    writeFileSync(join(cwd, ".yarnrc.yml"), JSON.stringify(settings));
    // Without a lock file of its own, the project would belong to one in a folder above.
    writeFileSync(join(cwd, "yarn.lock"), "");
    await run(node, [...words, "install", "--no-immutable"], { cwd });
}

async function pipInstall({ url }: Registry, cwd: string): Promise<void> {
    await run("python3", ["-m", "venv", "venv"], { cwd });
    const python = join(cwd, "venv", "bin", "python3");
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    // The user's index could have this version too.
    await run(python, [...pip, "--no-deps", "--index-url", url, "pulumi-flux-minicluster"], { cwd });
    await run(python, [...pip, "--requirement", "requirements.txt"], { cwd });
}

async function goGet(proxy: Registry, version: string, { env, folder }: Place): Promise<void> {
    // The package that programs import is a folder of the module.
    const module = posix.dirname(goModule(ADDRESSES));
    Object.assign(env, await goSettings(proxy, module));
    await run("go", ["get", `${module}@v${version}`], { cwd: folder, env });
}

/**
 * Makes the project, installs its packages and previews it with Pulumi's real engine. Returns the operations by resource. No
 * Kubernetes cluster is needed: the kubeconfig names one that doesn't answer.
 */
export async function preview(project: Project, folder: string): Promise<Record<string, string>> {
    const env = await environment(folder);
    const { pulumi } = await languageToolchain();
    const cwd = join(folder, "hello");
    const of = (...words: readonly string[]) => run(pulumi, [...words, "--non-interactive"], { cwd, env });
    const template = join(root, project.template);
    await run(pulumi, ["new", template, "--generate-only", "--yes", "--name", "hello", "--dir", cwd], { env });
    const version = await project.install({ folder: cwd, env, pulumi: of });
    await installKubernetes(env["PULUMI_HOME"] ?? "", pulumiKubernetes, version);
    await of("stack", "init", "dev");
    await of("config", "set", "image", "fluxrm/flux-core:bookworm-v0.88.0");
    await of("config", "set", "size", "4");
    const { steps } = JSON.parse(await of("preview", "--json")) as { steps: { op: string; urn: string }[] };
    return Object.fromEntries(steps.map(({ op, urn }) => [urn.slice(urn.lastIndexOf("::") + 2), op]));
}

function installedVersion(folder: string, name: string): string {
    const manifest = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
}

async function environment(folder: string): Promise<NodeJS.ProcessEnv> {
    const { env } = await languageToolchain();
    const [backend, home, kubeconfig] = ["backend", "home", "kubeconfig"].map((name) => join(folder, name));
    mkdirSync(backend, { recursive: true });
    writeFileSync(kubeconfig, JSON.stringify(KUBECONFIG));
    return {
        ...process.env,
        ...env,
        KUBECONFIG: kubeconfig,
        // The host of Python runs the first python3 on PATH.
        PATH: [join(folder, "hello", "venv", "bin"), env["PATH"]].join(delimiter),
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_CONFIG_PASSPHRASE: "only for this preview",
        PULUMI_HOME: home,
    };
}

const KUBECONFIG = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "none", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "none", user: { token: "none" } }],
    contexts: [{ name: "none", context: { cluster: "none", user: "none" } }],
    "current-context": "none",
};
