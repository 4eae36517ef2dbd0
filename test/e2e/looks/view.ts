import assert from "node:assert/strict";

import { MiniCluster, ViewMethod } from "flux-minicluster";

import { noFluxImage, standinImage } from "../../../local/images";
import { importTestImage } from "../support/images";
import { type Look, sortedLines } from "./look";

/** Where the stand-in is in its image. */
const PREFIX = "/usr/lib/flux-standin";

export const view: Look = {
    subject: "an image without Flux",

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
            it(`runs a command with Flux from a view that is ${name}`, () => {
                assert.deepEqual(sortedLines(outputs[name]), [`${name}-0`, `${name}-1`]);
            });
        }
    },
};
