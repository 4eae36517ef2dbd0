import assert from "node:assert/strict";

import { MiniCluster, ViewMethod } from "flux-minicluster";

import { noFluxImage, standinImage } from "../../local/images";
import { importTestImage } from "./support/images";
import { useNamespace } from "./support/namespace";

/** Where the stand-in is in its image. */
const PREFIX = "/usr/lib/flux-standin";

describe("an image without Flux", () => {
    const namespace = useNamespace();

    before(async () => {
        await importTestImage(noFluxImage);
        await importTestImage(standinImage);
    });

    it("runs a command with Flux from a view, which is copied or mounted", async () => {
        const run = (name: string, method: ViewMethod) => {
            const view = { image: standinImage, prefix: PREFIX, method };
            return new MiniCluster(name, { image: noFluxImage, view, size: 2, command: ["hostname"] }).output;
        };
        const stack = namespace.stack("view", async () => ({
            copied: run("copied", ViewMethod.Copy),
            mounted: run("mounted", ViewMethod.ImageVolume),
        }));
        const { outputs } = await stack.up();
        const lines = (text: string) => text.trim().split("\n").sort();
        assert.deepEqual(lines(outputs.copied), ["copied-0", "copied-1"]);
        assert.deepEqual(lines(outputs.mounted), ["mounted-0", "mounted-1"]);
    });
});
