import { readdirSync } from "node:fs";
import { join } from "node:path";

import { debianVersion } from "./packages";
import { makeOnce } from "./images/folders";
import { cacheDir } from "./paths";
import { run } from "./run";

/**
 * The folder with `prometheus` and `promtool` of Debian's package, which isn't installed: an installed one would start a
 * server on this machine.
 */
export async function prometheusPrograms(): Promise<string> {
    const version = await debianVersion("prometheus");
    const folder = await makeOnce(join(cacheDir, `prometheus-${version}`), "unpacking Prometheus", async (draft) => {
        await run("apt-get", ["-q", "download", `prometheus=${version}`], { cwd: draft });
        const [archive] = readdirSync(draft);
        await run("dpkg-deb", ["--extract", join(draft, archive), draft]);
    });
    return join(folder, "usr/bin");
}
