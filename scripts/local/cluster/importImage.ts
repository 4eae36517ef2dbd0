import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { imageNameIn } from "../images/archive";
import { shortHash } from "../paths";
import { dir, type Context } from "./folders";
import { ctr, imagesOf } from "./nodes/ctr";
import { shareImages } from "./nodes/images";
import { type ClusterNode, runningNodes } from "./nodes/place";

/**
 * Imports an image archive into the cluster, unless it was imported before and no other archive has replaced its
 * images since.
 */
export async function importImage(context: Context, tar: string): Promise<void> {
    mkdirSync(dir.images, { recursive: true });
    const identity = identifyArchive(tar);
    const imported = join(dir.images, identity);
    if (existsSync(imported) && names(imported).every((name) => ownerOf(name) === identity)) {
        return;
    }

    const [first, ...others] = runningNodes(context);
    if (first === undefined) {
        throw new Error("No node of the cluster is running, so no image can be imported.");
    }
    const name = await imageNameIn(tar);
    await Promise.all([first, ...others].map((node) => forget(context, node, name)));
    const said = await ctr(context, first, "images", "import", "--local", resolve(tar));
    await Promise.all(others.map((node) => shareImages(context, first, node)));
    const found = [...said.matchAll(/^(?:unpacking )?(\S+[:@]\S+?)(?: \(|\s)/gm)].map((match) => match[1] ?? "");
    writeFileSync(imported, found.join("\n"));
    for (const name of found) {
        writeFileSync(ownerFile(name), identity);
    }
}

/**
 * Removes the image with a name that another image gets now. Otherwise the container runtime doesn't learn the new
 * image's id: it can run the image, but can't mount it as a volume.
 */
async function forget(context: Context, node: ClusterNode, name: string): Promise<void> {
    if ((await imagesOf(context, node)).has(name)) {
        await ctr(context, node, "images", "rm", name);
    }
}

/**
 * Pulls an image that the cluster doesn't have. The node's network has no route to a registry, so `ctr` runs in the
 * machine's network.
 */
export async function pullImage(context: Context, name: string): Promise<void> {
    const [first, ...others] = runningNodes(context);
    if (first !== undefined && !(await imagesOf(context, first)).has(name)) {
        await ctr(context, first, "images", "pull", "--local", name).catch((error: unknown) => {
            throw pullFailure(name, error);
        });
        await Promise.all(others.map((node) => shareImages(context, first, node)));
    }
}

/** The error of containerd's client has a line with the cause among those that tell its progress. */
export function pullFailure(name: string, error: unknown): Error {
    const { message } = error as Error;
    const why = /^ctr: (.*)$/m.exec(message)?.[1] ?? message;
    const cure =
        "Give the name of an image that this machine can pull, or the path of an archive as docker save writes it";
    return new Error(`FLUX_IMAGE=${name} can't be pulled: ${why}. ${cure}.`, { cause: error });
}

/** Identity of an archive: path, size and time. A hash of a large archive would take seconds. */
function identifyArchive(tar: string): string {
    const { size, mtimeMs } = statSync(tar);
    return `archive-${shortHash(resolve(tar), String(size), String(mtimeMs))}`;
}

const ownerFile = (name: string): string => join(dir.images, `name-${shortHash(name)}`);

function ownerOf(name: string): string | undefined {
    return existsSync(ownerFile(name)) ? readFileSync(ownerFile(name), "utf8") : undefined;
}

const names = (file: string): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);
