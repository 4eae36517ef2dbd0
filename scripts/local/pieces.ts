import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { type EditedModule, kubernetesPlugin, leanKubernetes, RARELY_RUN, withoutClouds } from "./goSources";
import { defaultKubernetes, kubernetesVersions } from "./kubernetesVersions";
import { goDir, shortHash } from "./paths";

/** Programs that one `go build` builds. */
export interface Piece {
    readonly name: string;
    /** Folder of go.mod under local/go; `.` is the module that most pieces share. */
    readonly module: string;
    /** The programs' packages: folders of the module (`./coredns`), or tools of its go.mod. */
    readonly packages: readonly string[];
    readonly tags?: string;
    /** -X assignments. */
    readonly variables?: Readonly<Record<string, string>>;
    /** Seconds of CPU for the build with an empty build cache, after the pieces above this one. */
    readonly cpuSeconds: number;
    readonly edited?: readonly EditedModule[];
    /** Files that the programs need beside them. */
    readonly files?: readonly ModuleFile[];
}

/** A file in the sources of a dependency. */
export interface ModuleFile {
    readonly module: string;
    readonly path: string;
}

/** Of the CLI, and of the npm package @pulumi/pulumi. */
export const pulumiVersion = "3.276.0";

/** The plugin must have exactly the version of the npm package @pulumi/kubernetes. */
export const kubernetesPluginVersion = "4.25.0";

export function kubernetesPiece(minor: string): Piece {
    const version = kubernetesVersions[minor];
    if (version === undefined) {
        throw new Error(
            `K8S_VERSION=${minor} cannot be built here; it must be one of ${Object.keys(kubernetesVersions).join(", ")}.`,
        );
    }
    const isDefault = minor === defaultKubernetes;
    return {
        name: isDefault ? "kubernetes" : `kubernetes-${minor}`,
        module: isDefault ? "." : `kubernetes-${minor}`,
        packages: ["./kubernetes"],
        cpuSeconds: 260,
        edited: isDefault ? leanKubernetes : undefined,
        variables: versionVariables(version),
    };
}

function versionVariables(version: string): Readonly<Record<string, string>> {
    const variable = "k8s.io/component-base/version.";
    return {
        [`${variable}gitVersion`]: `v${version}`,
        [`${variable}gitMajor`]: version.split(".")[0] ?? "",
        [`${variable}gitMinor`]: version.split(".")[1] ?? "",
    };
}

/** Only a cluster with Kueue needs it, to start. For others it is built when it is first called. */
export const kubectl: Piece = {
    name: "kubectl",
    module: ".",
    packages: ["k8s.io/kubernetes/cmd/kubectl"],
    cpuSeconds: 30,
    edited: leanKubernetes,
    variables: versionVariables(kubernetesVersions[defaultKubernetes] ?? ""),
};

export const pause: Piece = { name: "pause", module: ".", packages: ["./pause"], cpuSeconds: 1 };

export const coredns: Piece = {
    name: "coredns",
    module: ".",
    packages: ["./coredns"],
    cpuSeconds: 35,
    edited: leanKubernetes,
};

export const containerd: Piece = {
    name: "containerd",
    module: ".",
    packages: [
        "github.com/containerd/containerd/v2/cmd/containerd",
        "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
        "github.com/containerd/containerd/v2/cmd/ctr",
        "github.com/containernetworking/plugins/plugins/ipam/host-local",
        "github.com/containernetworking/plugins/plugins/main/ptp",
        "github.com/containernetworking/plugins/plugins/meta/portmap",
    ],
    tags: "no_btrfs,no_devmapper,no_zfs",
    cpuSeconds: 60,
};

export const pulumiLanguageNodejs: Piece = {
    name: "pulumi-language-nodejs",
    module: "pulumi-languages",
    packages: ["github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs"],
    cpuSeconds: 10,
    // This host passes the program's calls on to the engine, but only those that its version knows: no hooks. So the
    // program calls the engine itself.
    edited: [
        {
            module: "github.com/pulumi/pulumi/sdk/v3",
            edits: [
                {
                    file: "nodejs/cmd/pulumi-language-nodejs/main.go",
                    before: 'fmt.Sprintf("127.0.0.1:%d", handle.Port), pipes.directory())',
                    after: "req.GetMonitorAddress(), pipes.directory())",
                },
            ],
        },
    ],
};

export const pulumiLanguageGo: Piece = {
    name: "pulumi-language-go",
    module: "pulumi-languages",
    packages: ["github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go"],
    cpuSeconds: 2,
};

export const pulumiLanguagePython: Piece = {
    name: "pulumi-language-python",
    module: "pulumi-languages",
    packages: ["github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"],
    cpuSeconds: 2,
    // The host runs each program by this script.
    files: [{ module: "github.com/pulumi/pulumi/sdk/v3", path: "python/cmd/pulumi-language-python-exec" }],
};

export const pulumiLanguageYaml: Piece = {
    name: "pulumi-language-yaml",
    module: "pulumi-language-yaml",
    packages: ["github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"],
    cpuSeconds: 40,
};

export const pulumi: Piece = {
    name: "pulumi",
    module: "pulumi",
    packages: ["github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"],
    cpuSeconds: 150,
    variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${pulumiVersion}` },
    // Without states, keys and logs in AWS, Azure and Google Cloud: their clients are an eighth of the code that is
    // compiled for a cluster and Pulumi. States in files and keys of Vault are kept.
    edited: [{ module: "github.com/pulumi/pulumi/pkg/v3", edits: withoutClouds }],
};

export const pulumiKubernetes: Piece = {
    name: "pulumi-kubernetes",
    module: ".",
    packages: ["./pulumi-resource-kubernetes"],
    cpuSeconds: 45,
    variables: { "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": kubernetesPluginVersion },
    files: [
        {
            module: "github.com/pulumi/pulumi-kubernetes/provider/v4",
            path: "cmd/pulumi-resource-kubernetes/schema.json",
        },
    ],
    edited: [...leanKubernetes, kubernetesPlugin],
};

/** Makes the SDKs of other languages from the schema. */
export const sdkgen: Piece = { name: "sdkgen", module: ".", packages: ["./sdkgen"], cpuSeconds: 10 };

/** Simulates nodes, for tests with many pods. */
export const kwok: Piece = {
    name: "kwok",
    module: ".",
    packages: ["sigs.k8s.io/kwok/cmd/kwok"],
    cpuSeconds: 40,
    edited: leanKubernetes,
};

/** The names of a piece's programs. `go build` takes the last part of the package's path. */
export function programs({ packages }: Piece): string[] {
    return packages.map((name) => basename(name));
}

/** The names of all files of a built piece. */
export function fileNames(piece: Piece): string[] {
    return [...programs(piece), ...(piece.files ?? []).map(({ path }) => basename(path))];
}

/** Merges pieces of one module into one. A program ignores tags and variables that it doesn't know. */
export function merge(pieces: readonly Piece[]): Piece {
    const [first] = pieces;
    if (first === undefined || pieces.some(({ module }) => module !== first.module)) {
        throw new Error("Only pieces of one Go module can be built together.");
    }
    const tags = pieces.flatMap((piece) => piece.tags ?? []);
    const edited = [...new Set(pieces.flatMap((piece) => piece.edited ?? []))];
    return {
        name: pieces.map(({ name }) => name).join(", "),
        module: first.module,
        packages: pieces.flatMap(({ packages }) => packages),
        cpuSeconds: pieces.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
        tags: tags.length === 0 ? undefined : tags.join(","),
        variables: Object.assign({}, ...pieces.map(({ variables }) => variables)),
        edited: edited.length === 0 ? undefined : edited,
    };
}

/**
 * Flags of the compiler. It makes no debug information, which the linker would drop, and compiles a package with one
 * thread: as many packages as cores are compiled at the same time. Together they save a quarter of the time.
 */
const COMPILER = "-dwarf=false -c=1";

/** The arguments of `go build`, without `-o`. */
export function buildArguments(piece: Piece): string[] {
    const variables = Object.entries(piece.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
    return [
        "-mod=readonly",
        `-gcflags=all=${COMPILER}`,
        ...RARELY_RUN.map((name) => `-gcflags=${name}=-N -l ${COMPILER}`),
        "-trimpath",
        "-buildvcs=false",
        ...(piece.tags === undefined ? [] : ["-tags", piece.tags]),
        "-ldflags",
        ["-s", "-w", ...variables].join(" "),
        ...piece.packages,
    ];
}

/** Equal keys mean equal programs: sources, locked versions, flags, compiler. */
export function cacheKey(piece: Piece, goVersion: string): string {
    const module = join(goDir, piece.module);
    const locks = ["go.mod", "go.sum"].map((file) => join(module, file));
    const folders = piece.packages.filter((name) => name.startsWith(".")).map((name) => join(module, name));
    const sources = folders.flatMap((folder) =>
        readdirSync(folder)
            .filter((file) => file.endsWith(".go"))
            .sort()
            .map((file) => join(folder, file)),
    );
    const contents = [...locks, ...sources].map((file) => readFileSync(file));
    const files = (piece.files ?? []).map(({ module, path }) => join(module, path));
    const flags = [goVersion, ...buildArguments(piece), JSON.stringify(piece.edited ?? []), ...files];
    return `${piece.name}-${shortHash(...flags, ...contents)}`;
}
