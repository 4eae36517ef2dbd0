import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../paths";

const INSTALL = /apt-get install --yes --no-install-recommends ((?:[a-z0-9][a-z0-9.+-]* ?)+)/;

/** The Debian packages that an image of examples/images has more than Flux' image, from its Containerfile. */
export function packagesOf(image: string): string[] {
    const path = join("examples", "images", image, "Containerfile");
    const [, words] = INSTALL.exec(readFileSync(join(root, path), "utf8")) ?? [];
    if (words === undefined) {
        throw new Error(`${path} has no line with apt-get install --yes --no-install-recommends and packages.`);
    }
    return words.trim().split(" ");
}
