import assert from "node:assert/strict";

import { chainIds, layerFolders, writableFolder } from "../../../../../scripts/local/cluster/nodes/snapshots";

const mount = (Source: string, ...Options: string[]): string => JSON.stringify([{ Source, Options }]);

describe("the unpacked layers of an image", () => {
    it("have the keys that the specification of images defines", () => {
        const [lowest, next] = [`sha256:${"a".repeat(64)}`, `sha256:${"b".repeat(64)}`];
        assert.deepEqual(chainIds([lowest, next]), [
            lowest,
            "sha256:ccd722928bd92476ba1745586fed6e45a102504185ad88cd89e01ff116fd146c",
        ]);
    });

    it("are read from the mounts of a snapshot, the lowest first", () => {
        assert.deepEqual(layerFolders(mount("/1/fs", "ro", "rbind")), ["/1/fs"]);
        assert.deepEqual(layerFolders(mount("overlay", "index=off", "lowerdir=/3/fs:/2/fs:/1/fs")), [
            "/1/fs",
            "/2/fs",
            "/3/fs",
        ]);
    });

    it("get a new folder, above those of the layers below", () => {
        assert.equal(writableFolder(mount("/1/fs", "rw", "rbind")), "/1/fs");
        assert.equal(writableFolder(mount("overlay", "workdir=/2/work", "upperdir=/2/fs", "lowerdir=/1/fs")), "/2/fs");
    });
});
