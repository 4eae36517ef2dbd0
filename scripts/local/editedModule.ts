import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type GoModule, sourcesOf } from "./goModule";
import type { Edit, EditedModule } from "./goSources";
import { run } from "./run";

/** The module that requires the edited ones. */
interface Places extends GoModule {
    /** An empty folder for the copies. */
    readonly folder: string;
}

/**
 * Copies modules, edits the copies, and returns the path of a go.mod that requires them.
 * Copies are necessary because Go refuses to overlay files of its module cache.
 */
export async function editModules(modules: readonly EditedModule[], places: Places): Promise<string> {
    const { dir, folder, go } = places;
    const modfile = join(folder, "go.mod");
    copyFileSync(join(dir, "go.mod"), modfile);
    copyFileSync(join(dir, "go.sum"), join(folder, "go.sum"));
    const copyOf = (index: number): string => join(folder, `source-${index}`);
    const copies = await Promise.allSettled(modules.map((edited, index) => copyEdited(edited, copyOf(index), places)));
    for (const copy of copies) {
        if (copy.status === "rejected") {
            throw copy.reason;
        }
    }
    const replacements = modules.map(({ module }, index) => `-replace=${module}=${copyOf(index)}`);
    await run(go, ["mod", "edit", ...replacements, modfile]);
    return modfile;
}

async function copyEdited({ module, edits }: EditedModule, copy: string, places: Places): Promise<void> {
    // The module cache is read-only.
    await run("cp", ["-R", "--no-preserve=mode", await sourcesOf(module, places), copy]);
    for (const edit of edits) {
        const path = join(copy, edit.file);
        writeFileSync(path, edited(readFileSync(path, "utf8"), edit, module));
    }
}

function edited(text: string, edit: Edit, module: string): string {
    if ("contents" in edit) {
        return edit.contents;
    }
    const fail = (problem: string): never => {
        throw new Error(
            `${module}/${edit.file} has ${problem}: adapt the edits in local/goSources.ts and pieces.ts to its version.`,
        );
    };
    if ("without" in edit) {
        return edit.without.reduce(
            (all, beginning) =>
                withoutLines(all, beginning) ?? fail(`no line that begins with ${JSON.stringify(beginning)}`),
            text,
        );
    }
    const place = "from" in edit ? edit.from : edit.before;
    const parts = text.split(place);
    const [head = "", rest = ""] = parts;
    if (parts.length !== 2) {
        return fail(`${JSON.stringify(place)} ${parts.length - 1} times, not once`);
    }
    if ("before" in edit) {
        return `${head}${edit.after}${rest}`;
    }
    const end = rest.indexOf(edit.upTo);
    return end >= 0
        ? `${head}${rest.slice(end)}`
        : fail(`no ${JSON.stringify(edit.upTo)} after ${JSON.stringify(place)}`);
}

function withoutLines(text: string, beginning: string): string | undefined {
    const lines = text.split("\n");
    const kept = lines.filter((line) => !line.startsWith(beginning));
    return kept.length < lines.length ? kept.join("\n") : undefined;
}
