import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { run } from "../local/run";
import type { Registry } from "./registries";
import type { Tools } from "./tools";

/** The folder of the modules that a project uses. */
const CACHE = "modules";

/** A proxy of Go modules, as a folder that Go reads. It has only the SDK. */
export function goProxy({ python }: Tools, folder: string): Registry {
    return {
        url: `file://${folder}`,
        publish: async ({ folder: from, go, version }) => {
            const unpacked = join(folder, "unpacked");
            mkdirSync(unpacked, { recursive: true });
            await run("tar", ["--extract", "--file", join(from, go), "-C", unpacked]);
            const sources = join(unpacked, "sdk", "go");
            const description = readFileSync(join(sources, "go.mod"), "utf8");
            const [, module = ""] = /^module (\S+)$/m.exec(description) ?? [];
            const versions = join(folder, escaped(module), "@v");
            mkdirSync(versions, { recursive: true });
            const files = {
                list: `v${version}\n`,
                [`v${version}.info`]: JSON.stringify({ Version: `v${version}` }),
                [`v${version}.mod`]: description,
            };
            Object.entries(files).forEach(([name, content]) => writeFileSync(join(versions, name), content));
            await run(python, ["-c", ZIP, sources, `${module}@v${version}`, join(versions, `v${version}.zip`)]);
        },
        end: async () => rmSync(join(folder, CACHE), { recursive: true, force: true }),
    };
}

/** Go writes an upper-case letter as `!` with the lower-case one, because some file systems don't tell them apart. */
const escaped = (module: string): string => module.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

/** Go refuses an archive with entries of folders, which `python3 -m zipfile` writes. */
const ZIP = `
import os, sys, zipfile
folder, prefix, file = sys.argv[1:]
with zipfile.ZipFile(file, "w") as archive:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            archive.write(path, f"{prefix}/{os.path.relpath(path, folder)}")
`;

/**
 * The settings with which Go finds the module in the proxy, and all others where it has them or in the user's proxy. The
 * cache is a new one, because the user's cache would still have the module of an earlier dry run.
 */
export async function goSettings({ url }: Registry, module: string): Promise<Record<string, string>> {
    const [known = "", proxy = ""] = (await run("go", ["env", "GOMODCACHE", "GOPROXY"])).trim().split("\n");
    return {
        CGO_ENABLED: "0",
        // Otherwise nobody but root can remove the cache.
        GOFLAGS: "-buildvcs=false -modcacherw -trimpath",
        GOMODCACHE: join(fileURLToPath(url), CACHE),
        // No public database has the module's checksum.
        GONOSUMDB: module,
        GOPROXY: `${url},file://${join(known, "cache", "download")},${proxy}`,
        GOWORK: "off",
    };
}
