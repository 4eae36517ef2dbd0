import type { Headers } from "./tarStream";

/** What to make of an entry of an archive. Paths are in bytes, each as a character of latin1. */
export type Making = { readonly kind: "file"; readonly path: string } | Empty;

/** What has no content of its own in an archive. */
export type Empty =
    | { readonly kind: "folder"; readonly path: string }
    /** `to` is the text of a symbolic link, or the path of the other name of a hard link. */
    | { readonly kind: "hardLink" | "link"; readonly path: string; readonly to: string }
    | { readonly kind: "skip"; readonly path: string; readonly why: string };

const KINDS: Readonly<Record<string, "file" | "folder" | "hardLink" | "link">> = {
    "contiguous-file": "file",
    directory: "folder",
    file: "file",
    link: "hardLink",
    symlink: "link",
};

/**
 * Judges an entry of an archive that comes from a pod. Nothing that it allows leads out of the folder of the copy: names
 * can't, links that could are left out, and so are devices. Fails for a name that no tar of a folder makes.
 */
export function makingOf({ linkname, name, pax, type }: Headers): Making {
    const path = pathOf(name, pax?.path !== undefined);
    const kind = KINDS[type ?? ""];
    if (kind === undefined) {
        return { kind: "skip", path, why: `is a ${(type ?? "thing of an unknown kind").replace("-", " ")}` };
    }
    if (kind === "file" || kind === "folder") {
        return { kind, path };
    }
    return linkOf(kind, path, bytesOf(linkname ?? "", pax?.linkpath !== undefined));
}

function linkOf(kind: "hardLink" | "link", path: string, to: string): Making {
    if (kind === "hardLink") {
        return { kind, path, to: pathOf(to, false) };
    }
    return staysInside(path, to)
        ? { kind, path, to }
        : { kind: "skip", path, why: `is a link to ${shown(to)}, which is outside of the copy` };
}

/** The path of a name within the copy; empty for the copied folder itself. */
function pathOf(name: string, isUtf8: boolean): string {
    const bytes = bytesOf(name, isUtf8);
    const parts = bytes.split("/").filter((part) => part !== "" && part !== ".");
    // On Windows, these lead to other folders and drives.
    const isOdd = process.platform === "win32" && /[\\:]/.test(bytes);
    if (bytes.startsWith("/") || parts.includes("..") || bytes.includes("\0") || isOdd) {
        throw new Error(`the pod's archive has the name ${shown(bytes)}, which may be outside of the copy`);
    }
    return parts.join("/");
}

/** tar-stream reads names in headers as they are told to, and those in pax headers as UTF-8. */
function bytesOf(name: string, isUtf8: boolean): string {
    return isUtf8 ? Buffer.from(name).toString("latin1") : name;
}

/**
 * True if a link leads to a place in the copy. ".." may only stand at the start: behind another link, it would lead from
 * that link's goal.
 */
function staysInside(path: string, to: string): boolean {
    const parts = to.split("/").filter((part) => part !== "" && part !== ".");
    const found = parts.findIndex((part) => part !== "..");
    const ups = found === -1 ? parts.length : found;
    const depth = path.split("/").length - 1;
    return to !== "" && !to.startsWith("/") && ups <= depth && !parts.slice(ups).includes("..");
}

/** A name as a terminal may show it. */
export function shown(bytes: string): string {
    return Buffer.from(bytes, "latin1")
        .toString()
        .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?");
}
