import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { withLock } from "./lock";
import { ensurePython } from "./packages";
import { cacheDir, shortHash } from "./paths";
import { run } from "./run";

/** Pulumi's SDK for Python and its dependencies, with their hashes. */
export const requirements = join(__dirname, "python", "requirements.txt");

/** Returns the folder of a virtual environment with requirements, which all clones on this machine share. */
export async function pythonEnvironment(file = requirements): Promise<string> {
    await ensurePython();
    const python = await run("python3", ["-c", "import sys; print(sys.version, sys.base_prefix)"]);
    const folder = join(cacheDir, `python-${shortHash(python, readFileSync(file))}`);
    // The scripts of an environment have its path, so it can't be made in a draft folder and then renamed.
    const complete = join(folder, "complete");
    if (!existsSync(complete)) {
        await withLock(`${folder}.lock`, "installing Python packages", async () => {
            if (!existsSync(complete)) {
                await install(folder, file);
                writeFileSync(complete, "");
            }
        });
    }
    return folder;
}

async function install(folder: string, file: string): Promise<void> {
    console.error("Installing Python packages ...");
    rmSync(folder, { recursive: true, force: true });
    await run("python3", ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    await run(join(folder, "bin", "python3"), [...pip, "--require-hashes", "--requirement", file]);
}
