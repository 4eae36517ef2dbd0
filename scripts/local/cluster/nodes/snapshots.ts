import { createHash } from "node:crypto";

import { run } from "../../run";
import type { Context } from "../folders";
import { ctr } from "./ctr";
import type { ClusterNode } from "./place";

/** The node that has an image, and the one that gets it. */
export interface Pair {
    readonly from: ClusterNode;
    readonly to: ClusterNode;
}

/** An unpacked layer of an image. */
interface Layer {
    /** The key of its snapshot. */
    readonly id: string;
    readonly parent?: string;
    /** The folder with its files on the node that has it. */
    readonly source: string;
}

/** Gives a node the unpacked layers of an image, as links to the files of another node. */
export async function linkLayers(
    context: Context,
    { from, to }: Pair,
    config: string,
    diffIds: readonly string[],
): Promise<void> {
    const ids = chainIds(diffIds);
    const last = ids.at(-1);
    if (last === undefined) {
        return;
    }
    const view = `view-for-${to.name}`;
    const [folders, present] = await Promise.all([foldersOf(context, from, view, last), snapshotsOf(context, to)]);
    for (const [index, id] of ids.entries()) {
        if (!present.includes(id)) {
            await linkLayer(context, to, { id, parent: ids[index - 1], source: folders[index] ?? "" });
        }
    }
    // With this label, the layers live as long as the image.
    await ctr(context, to, "content", "label", config, `containerd.io/gc.ref.snapshot.overlayfs=${last}`);
}

/** The keys of the snapshots of an image's layers: a key is a hash of all layers up to this one. */
export function chainIds(diffIds: readonly string[]): string[] {
    const ids: string[] = [];
    for (const diffId of diffIds) {
        const below = ids.at(-1);
        ids.push(below === undefined ? diffId : `sha256:${hash(`${below} ${diffId}`)}`);
    }
    return ids;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The folders of an image's layers, the lowest first. */
async function foldersOf(context: Context, node: ClusterNode, view: string, id: string): Promise<string[]> {
    const mounts = await ctr(context, node, "snapshots", "view", "--mounts", view, id);
    // containerd's garbage collector may have removed it already: nothing refers to a view. The layers stay.
    await ctr(context, node, "snapshots", "rm", view).catch(() => undefined);
    return layerFolders(mounts);
}

interface Mount {
    readonly Source: string;
    readonly Options: readonly string[];
}

/** Reads the folders from the mounts of a snapshot, which are an overlay, or one folder. The lowest comes first. */
export function layerFolders(mounts: string): string[] {
    const [{ Source, Options }] = JSON.parse(mounts) as [Mount];
    const lower = Options.find((option) => option.startsWith("lowerdir="));
    return lower === undefined ? [Source] : lower.slice("lowerdir=".length).split(":").reverse();
}

/** The folder to which a new snapshot writes. */
export function writableFolder(mounts: string): string {
    const [{ Source, Options }] = JSON.parse(mounts) as [Mount];
    return Options.find((option) => option.startsWith("upperdir="))?.slice("upperdir=".length) ?? Source;
}

async function snapshotsOf(context: Context, node: ClusterNode): Promise<string[]> {
    const lines = (await ctr(context, node, "snapshots", "ls")).split("\n");
    return lines.map((line) => line.split(/\s/)[0] ?? "");
}

async function linkLayer(context: Context, node: ClusterNode, { id, parent, source }: Layer): Promise<void> {
    const draft = `draft-${id}`;
    const parents = parent === undefined ? [] : [parent];
    const target = writableFolder(await ctr(context, node, "snapshots", "prepare", "--mounts", draft, ...parents));
    await run("cp", ["--archive", "--link", `${source}/.`, target]);
    await ctr(context, node, "snapshots", "commit", id, draft);
}
