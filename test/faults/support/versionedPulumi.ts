import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { allBinaries } from "../../../scripts/local/binaries";
import { oldestPulumi, pulumiKubernetesByPost } from "../../../scripts/local/otherVersions";
import { root, shortHash, stateDir } from "../../../scripts/local/paths";
import {
    fileNames,
    pulumi as newestPulumi,
    pulumiKubernetes,
    pulumiLanguageNodejs,
} from "../../../scripts/local/pieces";
import { pathWith } from "../../../scripts/local/program";
import { installKubernetes, linkTogether, PLUGIN_AS_RELEASED } from "../../../scripts/local/toolchain";
import type { Host } from "../../e2e/support/stack";
import { nodeFolder, npmFolder } from "./npmFolder";
import { createsByPost, OLDEST, type Versions } from "./versions";

/** Programs that run with a set of versions. */
export interface VersionedPrograms {
    /** What runs them. */
    readonly host: Host;
    /** Returns the folder of a copy of a program. Its name is that of the copy. */
    program(name: string, source: string): string;
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
};

/** The oldest versions in ranges such as `^1.9.1`. */
function oldest(ranges: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, range.replace(/^\^/, "")]));
}

/** Builds and installs a set of versions. All downloads and builds are in the cache of this machine. */
export async function versionedPrograms(versions: Versions): Promise<VersionedPrograms> {
    const packages = await npmFolder({
        "@pulumi/kubernetes": versions.kubernetes,
        "@pulumi/pulumi": versions.sdk,
        typescript: manifest.devDependencies["typescript"] ?? "",
        ...(versions === OLDEST ? oldest(manifest.dependencies) : manifest.dependencies),
    });
    const folder = join(stateDir, "versions", shortHash(JSON.stringify(versions)));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(packages, "node_modules"), join(folder, "node_modules"));
    // A copy, because a link would find the SDK of this repository.
    const copy = join(folder, "programs", "node_modules", "flux-minicluster");
    cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
    cpSync(join(root, "package.json"), join(copy, "package.json"));
    return {
        host: { settings: { runtime: "nodejs" }, ...(await installed(versions, packages, folder)) },
        program: (name, source) => {
            const to = join(folder, "programs", name);
            cpSync(source, to, {
                recursive: true,
                filter: (path) => !/node_modules|tsconfig\.json$|Pulumi\..*yaml$/.test(path),
            });
            writeFileSync(
                join(to, "tsconfig.json"),
                JSON.stringify({ compilerOptions: { module: "nodenext", moduleResolution: "nodenext", strict: true } }),
            );
            return to;
        },
    };
}

/** The Pulumi of these versions: its folder, and the variables of its processes. */
async function installed(
    { cli, kubernetes, node }: Versions,
    packages: string,
    folder: string,
): Promise<Pick<Host, "environment" | "pulumi">> {
    // Runs dynamic resources; a script of the npm package.
    const script = join(packages, "node_modules", "@pulumi", "pulumi", "pulumi-resource-pulumi-nodejs");
    const parts = [cli === OLDEST.cli ? oldestPulumi : newestPulumi, pulumiLanguageNodejs];
    const folders = await allBinaries(parts);
    const built = parts.flatMap((piece, index) => fileNames(piece).map((name) => join(folders[index] ?? "", name)));
    const pulumi = linkTogether([...built, script], "bin");
    const home = join(folder, "pulumi-home");
    await installKubernetes(home, createsByPost(kubernetes) ? pulumiKubernetesByPost : pulumiKubernetes, kubernetes);
    return {
        pulumi,
        environment: {
            ...PLUGIN_AS_RELEASED,
            PATH: pathWith(await nodeFolder(node), join(pulumi, "bin")),
            PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
            PULUMI_HOME: home,
            PULUMI_SKIP_UPDATE_CHECK: "true",
        },
    };
}
