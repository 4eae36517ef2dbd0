import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { allBinaries, binaries } from "./binaries";
import { cacheDir, nodeBinDir, root, shortHash, stateDir } from "./paths";
import * as pieces from "./pieces";
import { findProgram, pathWith, searchPath } from "./program";

export interface Toolchain {
    /** Path of the `pulumi` program. */
    readonly pulumi: string;
    /** Environment variables for each process that runs Pulumi. */
    readonly env: Record<string, string>;
}

/** The pieces whose programs are linked into one folder. */
const LINKED: readonly pieces.Piece[] = [pieces.pulumi, pieces.pulumiLanguageNodejs];

/**
 * The plugin that is built here has a later client-go than the released plugin of this version. By default it watches
 * without listing first. The released plugin lists first, which needs another right (docs/rbac.yaml).
 */
export const PLUGIN_AS_RELEASED = { KUBE_FEATURE_WatchListClient: "false" };

/** The pieces of Pulumi; none if a Pulumi is installed. */
export function toolchainPieces(): readonly pieces.Piece[] {
    return installedPulumi() === undefined ? [...LINKED, pieces.pulumiKubernetes] : [];
}

/** The user's Pulumi, on PATH. */
export function installedPulumi(): string | undefined {
    return findProgram(
        "pulumi",
        searchPath().filter((dir) => dir !== nodeBinDir && !dir.startsWith(cacheDir)),
    );
}

/**
 * The user's Pulumi if it is installed, else the Pulumi that is built here, with the hosts of further languages. An
 * installed Pulumi has its own hosts.
 */
export async function toolchain(hosts: readonly pieces.Piece[] = []): Promise<Toolchain> {
    const installed = installedPulumi();
    if (installed !== undefined) {
        console.error(`Using the installed Pulumi: ${installed}`);
        return { pulumi: installed, env: environment(dirname(installed)) };
    }
    const folder = await programs(hosts);
    const home = await pulumiHome();
    return {
        pulumi: join(folder, "pulumi"),
        env: {
            ...environment(folder),
            ...PLUGIN_AS_RELEASED,
            PULUMI_HOME: home,
            PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        },
    };
}

function environment(folder: string): Record<string, string> {
    return { PATH: pathWith(nodeBinDir, folder), PULUMI_SKIP_UPDATE_CHECK: "true" };
}

/**
 * Links Pulumi's programs into one folder. They are built in separate folders, but Pulumi warns about programs
 * that it finds on PATH and not beside itself.
 */
async function programs(hosts: readonly pieces.Piece[]): Promise<string> {
    const linked = [...LINKED, ...hosts];
    // The plugin is not linked.
    const folders = await allBinaries([...linked, pieces.pulumiKubernetes]);
    const built = linked.flatMap((piece, index) =>
        pieces.fileNames(piece).map((name) => join(folders[index] ?? "", name)),
    );
    // Runs dynamic resources; a script of the npm package.
    const script = join(root, "node_modules", "@pulumi", "pulumi", "pulumi-resource-pulumi-nodejs");
    return linkTogether([...built, script]);
}

/** Links programs into one folder of the cache, in its subfolder if one is given. Returns the folder. */
export function linkTogether(paths: readonly string[], subfolder = ""): string {
    const contents = paths.map((path) => (path.startsWith(cacheDir) ? path : readFileSync(path)));
    const folder = join(cacheDir, `toolchain-${shortHash(...contents, subfolder)}`);
    if (existsSync(folder)) {
        return folder;
    }
    const draft = `${folder}.${process.pid}`;
    mkdirSync(join(draft, subfolder), { recursive: true });
    for (const path of paths) {
        linkOrCopy(path, join(draft, subfolder, basename(path)));
    }
    moveUnlessThere(draft, folder);
    return folder;
}

/** Pulumi's home with the plugin cache, separate from the user's own. */
async function pulumiHome(): Promise<string> {
    const home = join(stateDir, "pulumi-home");
    await installKubernetes(home, pieces.pulumiKubernetes, pieces.kubernetesPluginVersion);
    return home;
}

/** Puts a build of the Kubernetes plugin into the plugin cache of Pulumi's home, as the version that a program asks for. */
export async function installKubernetes(home: string, piece: pieces.Piece, version: string): Promise<void> {
    const plugin = join(await binaries(piece), "pulumi-resource-kubernetes");
    const folder = join(home, "plugins", `resource-kubernetes-v${version}`);
    const link = join(folder, "pulumi-resource-kubernetes");
    mkdirSync(folder, { recursive: true });
    const draft = `${link}.${process.pid}`;
    symlinkSync(plugin, draft);
    renameSync(draft, link);
}

function linkOrCopy(from: string, to: string): void {
    try {
        linkSync(from, to);
    } catch {
        copyFileSync(from, to);
    }
}

/** Moves the draft, unless another clone has created the folder in the meantime. */
function moveUnlessThere(draft: string, folder: string): void {
    try {
        renameSync(draft, folder);
    } catch {
        rmSync(draft, { recursive: true, force: true });
        if (!existsSync(folder)) {
            throw new Error(`The folder ${folder} can't be created.`);
        }
    }
}
