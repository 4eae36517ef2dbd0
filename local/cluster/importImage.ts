import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { imageNameIn } from "../images/archive";
import { shortHash } from "../paths";
import { run } from "../run";
import { dir, socket, type Context } from "./folders";

/**
 * Brings an image archive into the cluster. One that was imported before and
 * has not been overwritten by another of the same name is left alone.
 */
export async function importImage(context: Context, tar: string): Promise<void> {
    mkdirSync(dir.images, { recursive: true });
    const identity = identifyArchive(tar);
    const imported = join(dir.images, identity);
    if (existsSync(imported) && names(imported).every((name) => ownerOf(name) === identity)) {
        return;
    }

    await forget(context, await imageNameIn(tar));
    const said = await ctr(context, "images", "import", "--local", resolve(tar));
    const found = [...said.matchAll(/^(?:unpacking )?(\S+[:@]\S+?)(?: \(|\s)/gm)].map((match) => match[1] ?? "");
    writeFileSync(imported, found.join("\n"));
    for (const name of found) {
        writeFileSync(ownerFile(name), identity);
    }
}

/**
 * Another image under a name that is known is one that the container runtime
 * can run, but not mount as a volume: it doesn't learn its id.
 */
async function forget(context: Context, name: string): Promise<void> {
    const known = (await ctr(context, "images", "ls", "--quiet")).split("\n");
    if (known.includes(name)) {
        await ctr(context, "images", "rm", name);
    }
}

/**
 * Fetches an image that the cluster does not have. The node's network leads
 * nowhere, so it is our own process, in the machine's, that talks to the registry.
 */
export async function pullImage(context: Context, name: string): Promise<void> {
    const known = (await ctr(context, "images", "ls", "--quiet")).split("\n");
    if (!known.includes(name)) {
        await ctr(context, "images", "pull", "--local", name);
    }
}

export function ctr({ programs, site }: Context, ...args: string[]): Promise<string> {
    return run(join(programs.containerd, "ctr"), [
        "--address",
        socket(site, "containerd"),
        "--namespace",
        "k8s.io",
        ...args,
    ]);
}

/** Large archives would take seconds to hash; nobody changes one and keeps its time and size. */
function identifyArchive(tar: string): string {
    const { size, mtimeMs } = statSync(tar);
    return `archive-${shortHash(resolve(tar), String(size), String(mtimeMs))}`;
}

const ownerFile = (name: string): string => join(dir.images, `name-${shortHash(name)}`);

function ownerOf(name: string): string | undefined {
    return existsSync(ownerFile(name)) ? readFileSync(ownerFile(name), "utf8") : undefined;
}

const names = (file: string): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);
