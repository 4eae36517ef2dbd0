import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { root } from "../local/paths";
import { run } from "../local/run";
import { type Artifacts, CHECKSUMS, makeArtifacts } from "./artifacts";
import type { Tools } from "./tools";

/**
 * Builds the artifacts in this clone, and again in a copy of it: in another folder, with another time zone, and with files
 * that only the user can read. Fails if a file differs. Returns the first ones.
 */
export async function makeTwice(folder: string, tools: Tools): Promise<Artifacts> {
    const [first, second] = ["artifacts", "again"].map((name) => join(folder, name));
    const made = await makeArtifacts(root, first, tools);
    const copy = join(folder, "copy of the clone");
    await copyClone(copy);
    await makeArtifacts(copy, second, tools, { ...process.env, TZ: "Pacific/Auckland" });
    const [sums, again] = [first, second].map((of) => readFileSync(join(of, CHECKSUMS), "utf8").split("\n"));
    const different = sums.filter((line, index) => line !== again[index]);
    if (different.length > 0) {
        throw new Error(`Two builds of the same sources differ:\n${different.join("\n")}`);
    }
    return made;
}

/** The files that git knows or would add, and hard links of the installed packages. */
export async function copyClone(to: string): Promise<void> {
    rmSync(to, { recursive: true, force: true });
    const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    const files = execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 16 << 20 }).split("\0");
    for (const file of files.filter((name) => name !== "" && existsSync(join(root, name)))) {
        mkdirSync(dirname(join(to, file)), { recursive: true });
        cpSync(join(root, file), join(to, file), { verbatimSymlinks: true });
        chmodSync(join(to, file), statSync(join(root, file)).mode & 0o700);
    }
    await run("cp", ["--archive", "--link", join(root, "node_modules"), join(to, "node_modules")]);
}
