import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { archiveOf } from "../../../provider/contract/code/archive";
import { codeOf, type JobCode } from "../../../provider/contract/code/code";
import { listFolder } from "../../../provider/contract/code/folder";

/** A file's content, or how it is more than that. */
export type Item = string | { readonly script: string } | { readonly link: string };

/** Puts files into a folder. */
export function fill(folder: string, files: Readonly<Record<string, Item>>): void {
    for (const [path, item] of Object.entries(files)) {
        const place = join(folder, path);
        mkdirSync(dirname(place), { recursive: true });
        if (typeof item === "object" && "link" in item) {
            symlinkSync(item.link, place);
        } else {
            writeFileSync(place, typeof item === "string" ? item : item.script);
            chmodSync(place, typeof item === "string" ? 0o644 : 0o755);
        }
    }
}

/** Makes temporary folders in the tests of a block, and removes them after each test. */
export function useFolders(): (files?: Readonly<Record<string, Item>>) => string {
    const made: string[] = [];
    afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));
    return (files = {}) => {
        const folder = mkdtempSync(join(tmpdir(), "code-"));
        made.push(folder);
        fill(folder, files);
        return folder;
    };
}

/** The code of a FluxJob with this folder. */
export function codeOfJob(source: string): JobCode {
    const given = { source, exclude: [], include: [] };
    const folder = listFolder(given);
    const { parts: _parts, ...code } = codeOf(given, folder, archiveOf(folder));
    return code;
}
