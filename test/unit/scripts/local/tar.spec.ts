import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

import { tar } from "../../../../scripts/local/tar";

const archive = tar([
    { path: "first", content: Buffer.from("one"), mode: 0o755 },
    { path: "folder/second", content: Buffer.alloc(1024, "x"), mode: 0o644 },
]);

describe("tar", () => {
    it("writes an archive that the tar program reads", () => {
        const list = execFileSync("tar", ["--list", "--verbose", "--utc"], { input: archive })
            .toString()
            .trim()
            .split("\n");
        assert.match(list[0] ?? "", /^-rwxr-xr-x .* 3 1970-01-01 00:00 first$/);
        assert.match(list[1] ?? "", /^-rw-r--r-- .* 1024 1970-01-01 00:00 folder\/second$/);
        assert.equal(execFileSync("tar", ["--extract", "--to-stdout", "first"], { input: archive }).toString(), "one");
    });
});
