import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { goDir, shortHash } from "./paths";

/** One thing that is built from one Go module. */
export interface Piece {
    readonly name: string;
    /** Folder under local/go. */
    readonly module: string;
    /** What to build: a package, or `tool` for all tool lines of go.mod. */
    readonly target: "." | "tool";
    /** The program that `.` gives; tools have names of their own. */
    readonly output?: string;
    readonly modfile?: string;
    readonly tags?: string;
    /** -X assignments. */
    readonly variables?: Readonly<Record<string, string>>;
}

export const defaultKubernetes = "1.36";

/** The full version of each minor that can be built. */
export const kubernetesVersions: Readonly<Record<string, string>> = { "1.36": "1.36.4", "1.35": "1.35.4" };

export const olderKubernetes = "1.35";

const pulumiVersion = "3.259.0";

/** The plugin must have exactly the version of the npm package @pulumi/kubernetes. */
export const kubernetesPluginVersion = "4.25.0";

export function kubernetesPiece(minor: string): Piece {
    const version = kubernetesVersions[minor];
    if (version === undefined) {
        throw new Error(`K8S_VERSION=${minor} cannot be built here; it must be one of ${Object.keys(kubernetesVersions).join(", ")}.`);
    }
    const variable = "k8s.io/component-base/version.";
    return {
        name: minor === defaultKubernetes ? "kubernetes" : `kubernetes-${minor}`,
        module: "kubernetes",
        target: ".",
        output: "kubernetes",
        modfile: minor === defaultKubernetes ? undefined : `${minor}.mod`,
        variables: {
            [`${variable}gitVersion`]: `v${version}`,
            [`${variable}gitMajor`]: version.split(".")[0] ?? "",
            [`${variable}gitMinor`]: version.split(".")[1] ?? "",
        },
    };
}

export const pause: Piece = { name: "pause", module: "pause", target: ".", output: "pause" };

export const coredns: Piece = { name: "coredns", module: "coredns", target: ".", output: "coredns" };

export const containerd: Piece = {
    name: "containerd",
    module: "containerd",
    target: "tool",
    tags: "no_btrfs,no_devmapper,no_zfs",
};

export const pulumiLanguageNodejs: Piece = {
    name: "pulumi-language-nodejs",
    module: "pulumi-language-nodejs",
    target: "tool",
};

export const pulumi: Piece = {
    name: "pulumi",
    module: "pulumi",
    target: "tool",
    variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${pulumiVersion}` },
};

export const pulumiKubernetes: Piece = {
    name: "pulumi-kubernetes",
    module: "pulumi-kubernetes",
    target: ".",
    output: "pulumi-resource-kubernetes",
    variables: { "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": kubernetesPluginVersion },
};

/** Nodes that only seem to be there, for tests of scale. */
export const kwok: Piece = { name: "kwok", module: "kwok", target: "tool" };

/** The arguments of `go build`, less `-o`. */
export function buildArguments(piece: Piece): string[] {
    const variables = Object.entries(piece.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
    return [
        "-mod=readonly",
        "-trimpath",
        "-buildvcs=false",
        ...(piece.modfile === undefined ? [] : [`-modfile=${piece.modfile}`]),
        ...(piece.tags === undefined ? [] : ["-tags", piece.tags]),
        "-ldflags",
        ["-s", "-w", ...variables].join(" "),
        piece.target,
    ];
}

/** Equal keys mean equal programs: sources, locked versions, flags, compiler. */
export function cacheKey(piece: Piece, goVersion: string): string {
    const dir = join(goDir, piece.module);
    const locks = piece.modfile === undefined ? ["go.mod", "go.sum"] : [piece.modfile, piece.modfile.replace(/mod$/, "sum")];
    const sources = readdirSync(dir).filter((file) => file.endsWith(".go") || locks.includes(file));
    const contents = sources.sort().flatMap((file) => [file, readFileSync(join(dir, file))]);
    return `${piece.name}-${shortHash(goVersion, ...buildArguments(piece), ...contents)}`;
}
