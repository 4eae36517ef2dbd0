import { execFileSync } from "node:child_process";

import { packLayer } from "./archive";
import { withScratch } from "./folders";
import { imitate, type Likeness } from "./likeness";

/** Packs the files of a likeness for an image with this base layer, which lacks all that the likeness hides. */
export async function packLikeness(tar: string, base: string, likeness: Likeness): Promise<void> {
    const read = (path: string) =>
        execFileSync("tar", ["--extract", "--to-stdout", `--file=${base}`, `./${path}`], { encoding: "utf8" });
    await withScratch(`${tar}.root`, async (folder) => {
        imitate(likeness, folder, read);
        await packLayer(tar, folder);
    });
}
