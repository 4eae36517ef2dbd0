import assert from "node:assert/strict";

import { MiniCluster, ViewMethod } from "flux-minicluster";

import { noFluxImage, standinImage } from "../../../scripts/local/images";
import { importTestImage } from "../support/images";
import { type Look, sortedLines } from "./look";

/** Folder of the stand-in in its image. */
const PREFIX = "/usr/lib/flux-standin";

export const view: Look = {
    subject: "with an image without Flux",

    async prepare() {
        await importTestImage(noFluxImage);
        await importTestImage(standinImage);
        return () => undefined;
    },

    clusters() {
        const run = (name: string, method: ViewMethod) => {
            const view = { image: standinImage, prefix: PREFIX, method };
            return new MiniCluster(name, { image: noFluxImage, view, size: 2, command: ["hostname"] }).output;
        };
        return { copied: run("copied", ViewMethod.Copy), mounted: run("mounted", ViewMethod.ImageVolume) };
    },

    tests(outputs) {
        for (const name of ["copied", "mounted"]) {
            it(`runs its command with Flux from a ${name} view`, () => {
                assert.deepEqual(sortedLines(outputs[name]), [`${name}-0`, `${name}-1`]);
            });
        }
    },
};
