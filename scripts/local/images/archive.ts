import { createHash } from "node:crypto";
import { createReadStream, linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

import { run } from "../run";

/** Default settings of the image's containers. */
export interface ImageConfig {
    readonly Cmd?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Env?: readonly string[];
    readonly User?: string;
    readonly WorkingDir?: string;
}

export interface Image {
    readonly name: string;
    /** Layer tars, the lowest first. */
    readonly layers: readonly string[];
    readonly config: ImageConfig;
}

// With these options, equal content gives an equal tar: sorted names, no time stamps, numbers for owners.
const reproducible = [
    "--sort=name",
    "--mtime=@0",
    "--numeric-owner",
    "--format=posix",
    "--pax-option=delete=atime,delete=ctime",
];

/** Packs entries of a folder into a layer, with their owners and modes. */
export async function packLayer(tar: string, folder: string, entries: readonly string[] = ["."]): Promise<void> {
    await run("tar", ["--create", `--file=${tar}`, ...reproducible, `--directory=${folder}`, ...entries]);
}

/** Writes an archive in the format of `docker save`, for `ctr images import`. */
export async function packImage(tar: string, { name, layers, config }: Image): Promise<void> {
    const folder = mkdtempSync(join(dirname(tar), "image-"));
    try {
        const digests = await Promise.all(layers.map(sha256));
        layers.forEach((layer, index) => linkSync(layer, join(folder, layerName(index))));
        writeJson(join(folder, "config.json"), {
            architecture: process.arch === "arm64" ? "arm64" : "amd64",
            os: "linux",
            config,
            rootfs: { type: "layers", diff_ids: digests.map((digest) => `sha256:${digest}`) },
        });
        writeJson(join(folder, "manifest.json"), [
            { Config: "config.json", RepoTags: [name], Layers: layers.map((_, index) => layerName(index)) },
        ]);
        await packLayer(tar, folder, ["config.json", "manifest.json", ...layers.map((_, index) => layerName(index))]);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** The name that an archive gives its first image. */
export async function imageNameIn(tar: string): Promise<string> {
    const manifest = JSON.parse(await run("tar", ["--extract", "--to-stdout", `--file=${tar}`, "manifest.json"])) as {
        RepoTags?: string[];
    }[];
    const name = manifest[0]?.RepoTags?.[0];
    if (name === undefined) {
        throw new Error(
            `The archive ${tar} has no image name. Write it with \`docker save NAME\`, not with an image id.`,
        );
    }
    return name;
}

const layerName = (index: number): string => `layer${index}.tar`;

const writeJson = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value));

async function sha256(path: string): Promise<string> {
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    return hash.digest("hex");
}
