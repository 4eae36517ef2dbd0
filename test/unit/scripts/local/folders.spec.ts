import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keepInUse } from "../../../../scripts/local/images/folders";

describe("keepInUse", () => {
    const day = 24 * 3600 * 1000;
    const now = new Date("2026-11-21T12:00:00Z");
    let cache: string;

    beforeEach(() => {
        cache = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    });

    afterEach(() => rmSync(cache, { recursive: true }));

    function make(name: string, daysAgo: number): string {
        const folder = join(cache, name);
        const then = new Date(now.getTime() - daysAgo * day);
        mkdirSync(folder);
        utimesSync(folder, then, then);
        return folder;
    }

    it("removes folders of the same kind that haven't been used for a week", () => {
        make("images-aaaaaaaaaaaaaaaa", 8);
        make("images-bbbbbbbbbbbbbbbb", 6);
        keepInUse(make("images-cccccccccccccccc", 30), now);
        assert.deepEqual(readdirSync(cache).sort(), ["images-bbbbbbbbbbbbbbbb", "images-cccccccccccccccc"]);
    });

    it("keeps folders of other kinds and with other names", () => {
        make("kubernetes-1.35-aaaaaaaaaaaaaaaa", 30);
        make("images-old-aaaaaaaaaaaaaaaa", 30);
        make("images-notes", 30);
        keepInUse(make("images-cccccccccccccccc", 0), now);
        assert.equal(readdirSync(cache).length, 4);
    });
});
