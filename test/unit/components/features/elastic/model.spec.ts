import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** `ELASTIC_HISTORIES=10000 mocha test/unit/components/features/elastic/model.spec.ts` runs more. */
const HISTORIES = Number(process.env["ELASTIC_HISTORIES"] ?? 200);

describe("a cluster that sizes itself, in random histories", function () {
    this.timeout(60_000 + HISTORIES * 500);

    it("ends no job, gets the needed ranks within two looks, and doesn't change its size without need", () => {
        const model = join(__dirname, "model.py");
        const { status, stderr, stdout } = spawnSync("python3", ["-B", model, String(HISTORIES), "1"], {
            encoding: "utf8",
        });
        assert.equal(status, 0, stderr);
        const lines = stdout.trimEnd().split("\n");
        const { broken, histories, resizes } = JSON.parse(lines.at(-1)!) as Record<string, number>;
        assert.deepEqual([lines.slice(0, -1), histories, broken], [[], HISTORIES, 0]);
        assert.ok(resizes > HISTORIES, `the clusters of ${histories} histories were resized only ${resizes} times`);
    });
});
