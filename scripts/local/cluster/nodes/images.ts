import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { run } from "../../run";
import { tar } from "../../tar";
import type { Context } from "../folders";
import { ctr, ctrOf, imagesOf } from "./ctr";
import type { ClusterNode } from "./place";
import { linkLayers, type Pair } from "./snapshots";

interface Descriptor {
    readonly mediaType?: string;
    readonly digest: string;
    readonly size: number;
}

/** An index of manifests, or a manifest. */
interface Manifest {
    readonly mediaType?: string;
    readonly manifests?: readonly Descriptor[];
    readonly config?: Descriptor;
    readonly layers?: readonly Descriptor[];
}

/**
 * Gives a node the images of another node without a copy: the nodes' files are hard links. containerd only reads the
 * files of images.
 */
export async function shareImages(context: Context, from: ClusterNode, to: ClusterNode): Promise<void> {
    const [there, here] = await Promise.all([imagesOf(context, from), imagesOf(context, to)]);
    for (const [name, digest] of there) {
        if (here.get(name) !== digest) {
            await shareImage(context, { from, to }, name, digest);
        }
    }
}

async function shareImage(context: Context, pair: Pair, name: string, digest: string): Promise<void> {
    const manifests = manifestsOf(pair.from, { digest, size: 0 });
    await importDocuments(context, pair, name, manifests);
    for (const { config, layers = [] } of manifests.map(({ manifest }) => manifest)) {
        // An image for several platforms has manifests whose layers were never pulled.
        if (config !== undefined && has(pair.from, config)) {
            for (const layer of layers) {
                await addLayer(context, pair, layer);
            }
            await linkLayers(context, pair, config.digest, diffIdsIn(readBlob(pair.from, config)));
        }
    }
}

interface Known {
    readonly descriptor: Descriptor;
    readonly manifest: Manifest;
}

/** An image's manifests that the node has, the given one first. */
function manifestsOf(node: ClusterNode, descriptor: Descriptor): Known[] {
    if (!has(node, descriptor)) {
        return [];
    }
    const manifest = JSON.parse(readBlob(node, descriptor).toString()) as Manifest;
    const children = (manifest.manifests ?? []).flatMap((child) => manifestsOf(node, child));
    return [{ descriptor, manifest }, ...children];
}

/** Creates the image from an archive that has its manifests and configurations, but not its layers. */
async function importDocuments(
    context: Context,
    { from, to }: Pair,
    name: string,
    manifests: readonly Known[],
): Promise<void> {
    const configs = manifests.flatMap(({ manifest }) => manifest.config ?? []);
    const parts = [...manifests.map(({ descriptor }) => descriptor), ...configs].filter((part) => has(from, part));
    const files = [
        { path: "oci-layout", content: json({ imageLayoutVersion: "1.0.0" }) },
        { path: "index.json", content: json({ schemaVersion: 2, manifests: [topOf(from, name, manifests)] }) },
        ...parts.map((part) => ({ path: `blobs/sha256/${hex(part.digest)}`, content: readBlob(from, part) })),
    ];
    const archive = join(to.folder, "documents.tar");
    writeFileSync(archive, tar(files.map((file) => ({ ...file, mode: 0o644 }))));
    await ctr(context, to, "images", "import", "--local", "--no-unpack", archive);
    rmSync(archive);
}

function topOf(node: ClusterNode, name: string, [top]: readonly Known[]): object {
    if (top === undefined) {
        throw new Error(`The node ${node.name} has no manifest of the image ${name}.`);
    }
    const { digest } = top.descriptor;
    const { mediaType } = top.manifest;
    const annotations = { "io.containerd.image.name": name };
    return { mediaType, digest, size: readBlob(node, top.descriptor).length, annotations };
}

/** Adds a layer, whose file is a link: containerd finds it complete and doesn't read it. */
async function addLayer(context: Context, { from, to }: Pair, layer: Descriptor): Promise<void> {
    const { digest, size } = layer;
    const [source, target] = [blob(from, layer), blob(to, layer)];
    if (!existsSync(target)) {
        mkdirSync(dirname(target), { recursive: true });
        linkSync(source, target);
    }
    const expected = ["--expected-digest", digest, "--expected-size", String(size)];
    const ingest = [...ctrOf(context, to), "content", "ingest", ...expected, `layer-${hex(digest)}`];
    await run("sh", ["-c", 'file=$1; shift; exec "$@" < "$file"', "sh", source, ...ingest]);
    if (statSync(target).ino !== statSync(source).ino) {
        // containerd's garbage collector had removed the link, so there is a copy.
        linkSync(source, `${target}.link`);
        renameSync(`${target}.link`, target);
    }
}

const diffIdsIn = (config: Buffer): readonly string[] =>
    (JSON.parse(config.toString()) as { rootfs: { diff_ids: readonly string[] } }).rootfs.diff_ids;

const blob = ({ folder }: ClusterNode, { digest }: Pick<Descriptor, "digest">): string =>
    join(folder, "containerd", "root", "io.containerd.content.v1.content", "blobs", "sha256", hex(digest));

const has = (node: ClusterNode, descriptor: Descriptor): boolean => existsSync(blob(node, descriptor));
const readBlob = (node: ClusterNode, descriptor: Descriptor): Buffer => readFileSync(blob(node, descriptor));

const hex = (digest: string): string => digest.replace("sha256:", "");

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
