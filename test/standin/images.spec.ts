import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { imageFromEnv } from "../../local/images";
import { packImage, packLayer } from "../../local/images/archive";

describe("an image archive", () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "image-"))));
    afterEach(() => rmSync(folder, { recursive: true }));

    async function pack(name: string): Promise<string> {
        writeFileSync(join(folder, "file"), "content");
        const layer = join(folder, `${name}-layer.tar`);
        const tar = join(folder, `${name}.tar`);
        await packLayer(layer, folder, ["file"]);
        await packImage(tar, { name: "localhost/test:dev", layers: [layer], config: { Cmd: ["/bin/sh"] } });
        return tar;
    }

    it("is the same for the same content", async () => {
        assert.deepEqual(readFileSync(await pack("first")), readFileSync(await pack("second")));
    });

    it("is found by FLUX_IMAGE, and names its image", async () => {
        const tar = await pack("third");
        assert.deepEqual(await imageFromEnv({ FLUX_IMAGE: tar }), { name: "localhost/test:dev", tar });
    });

    it("that is missing is an error", async () => {
        await assert.rejects(imageFromEnv({ FLUX_IMAGE: "/nowhere.tar" }), /FLUX_IMAGE=\/nowhere\.tar: there is no such file/);
    });
});

describe("FLUX_IMAGE", () => {
    it("may be a name", async () => assert.deepEqual(await imageFromEnv({ FLUX_IMAGE: "docker.io/a/b:1" }), { name: "docker.io/a/b:1" }));
    it("may be unset", async () => assert.equal(await imageFromEnv({}), undefined));
});
