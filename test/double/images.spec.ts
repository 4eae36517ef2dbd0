import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { imageFromEnv } from "../../scripts/local/images";
import { packImage, packLayer } from "../../scripts/local/images/archive";
import { unpackImage } from "../../scripts/local/images/unpack";

describe("image archive", () => {
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

    it("has the same bytes for the same content", async () => {
        assert.deepEqual(readFileSync(await pack("first")), readFileSync(await pack("second")));
    });

    it("is found through FLUX_IMAGE, and names its image", async () => {
        const tar = await pack("third");
        assert.deepEqual(await imageFromEnv({ FLUX_IMAGE: tar }), { name: "localhost/test:dev", tar });
    });

    it("unpacks its upper layers over its lower ones", async () => {
        const layers: Record<string, string>[] = [
            { changed: "lower", removed: "lower", "kept/file": "lower", "emptied/file": "lower" },
            { changed: "upper", ".wh.removed": "", "emptied/.wh..wh..opq": "", "emptied/new": "upper" },
        ];
        const tars = await Promise.all(layers.map((files, index) => layer(`layer-${index}`, files)));
        const [tar, root] = [join(folder, "layered.tar"), join(folder, "root")];
        await packImage(tar, { name: "localhost/test:dev", layers: tars, config: {} });
        mkdirSync(root);
        await unpackImage(tar, root);
        assert.deepEqual(readdirSync(root).sort(), ["changed", "dev", "emptied", "kept", "proc", "tmp"]);
        assert.deepEqual(readdirSync(join(root, "emptied")), ["new"]);
        assert.equal(readFileSync(join(root, "changed"), "utf8"), "upper");
        assert.equal(readFileSync(join(root, "kept/file"), "utf8"), "lower");
    });

    async function layer(name: string, files: Readonly<Record<string, string>>): Promise<string> {
        for (const [path, content] of Object.entries(files)) {
            mkdirSync(join(folder, name, path, ".."), { recursive: true });
            writeFileSync(join(folder, name, path), content);
        }
        await packLayer(join(folder, `${name}.tar`), join(folder, name));
        return join(folder, `${name}.tar`);
    }

    it("causes an error if it is missing", async () => {
        await assert.rejects(
            imageFromEnv({ FLUX_IMAGE: "/nowhere.tar" }),
            /FLUX_IMAGE=\/nowhere\.tar does not exist\. Give the path/,
        );
    });
});

describe("FLUX_IMAGE", () => {
    it("accepts the name of an image", async () =>
        assert.deepEqual(await imageFromEnv({ FLUX_IMAGE: "docker.io/a/b:1" }), { name: "docker.io/a/b:1" }));
    it("is optional", async () => assert.equal(await imageFromEnv({}), undefined));
});
