import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";

import { root } from "../local/paths";

/** The pages of the site, by their paths in the repository, without those of tests and sources that no page links to. */
const PAGE_FOLDERS: readonly (readonly [folder: string, place: string])[] = [
    ["docs/", ""],
    ["examples/", "examples/"],
    ["", "source/"],
];

/** Where a Markdown file of the repository is in the site: `docs/jobs.md` is `jobs.md`. */
export function placeOf(path: string): string {
    if (path === "README.md") {
        return "index.md";
    }
    if (path === "docs/README.md") {
        return "pages.md";
    }
    const [folder, place] = PAGE_FOLDERS.find(([start]) => path.startsWith(start))!;
    return (place + path.slice(folder.length)).replace(/\bREADME\.md$/, "index.md");
}

/** The place of a file that isn't Markdown: a page with its text. */
export function filePlaceOf(path: string): string {
    return `files/${path.replaceAll(".", "-")}.md`;
}

/** The path in the repository to which a link leads; a folder stands for its README. */
export function targetOf(source: string, link: string): string {
    const path = posix.join(posix.dirname(source), link);
    return existsSync(join(root, path)) && statSync(join(root, path)).isDirectory()
        ? posix.join(path, "README.md")
        : path;
}

/** The address of a page, from the root of the site and without an end. */
export function addressOf(place: string): string {
    return `/${place.replace(/(?:index)?\.md$/, "")}`;
}
