import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Edit, EditedModule } from "./pieces";
import { run } from "./run";

interface Places {
    readonly go: string;
    /** Folder of the go.mod that requires the module. */
    readonly dir: string;
    /** Takes the copy; an empty folder. */
    readonly folder: string;
}

/**
 * Copies a module, edits the copy, and gives a go.mod that requires the copy.
 * Go refuses to overlay files of its module cache, hence the copy.
 */
export async function editModule({ module, edits }: EditedModule, { go, dir, folder }: Places): Promise<string> {
    const env = { ...process.env, GOFLAGS: "", GOWORK: "off" };
    const download = JSON.parse(await run(go, ["mod", "download", "-json", module], { cwd: dir, env })) as { Dir: string };
    const copy = join(folder, "source");
    // The module cache is read-only.
    await run("cp", ["-R", "--no-preserve=mode", download.Dir, copy]);
    for (const edit of edits) {
        const path = join(copy, edit.file);
        writeFileSync(path, edited(readFileSync(path, "utf8"), edit, module));
    }
    const modfile = join(folder, "go.mod");
    writeFileSync(modfile, `${readFileSync(join(dir, "go.mod"), "utf8")}\nreplace ${module} => ${JSON.stringify(copy)}\n`);
    copyFileSync(join(dir, "go.sum"), join(folder, "go.sum"));
    return modfile;
}

function edited(text: string, edit: Edit, module: string): string {
    const fail = (problem: string): never => {
        throw new Error(`${module}/${edit.file} has ${problem}: adapt the edits in local/pieces.ts to its version.`);
    };
    if ("without" in edit) {
        return edit.without.reduce((all, beginning) => withoutLines(all, beginning) ?? fail(`no line that begins with ${JSON.stringify(beginning)}`), text);
    }
    const parts = text.split(edit.before);
    return parts.length === 2 ? parts.join(edit.after) : fail(`${JSON.stringify(edit.before)} ${parts.length - 1} times, not once`);
}

function withoutLines(text: string, beginning: string): string | undefined {
    const lines = text.split("\n");
    const kept = lines.filter((line) => !line.startsWith(beginning));
    return kept.length < lines.length ? kept.join("\n") : undefined;
}
