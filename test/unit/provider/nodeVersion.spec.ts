import assert from "node:assert/strict";

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../local/paths";
import { nodeProblem } from "../../../provider/nodeVersion";

describe("nodeProblem", () => {
    it("names a version that is too old, and the oldest that works", () => {
        for (const version of ["20.19.5", "22.18.9", "21.99.0"]) {
            assert.equal(nodeProblem("it", version), `Node is ${version}; it needs 22.19 or later.`);
        }
    });

    it("accepts the versions that package.json accepts", () => {
        const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
        assert.match(engines.node, />=22\.19/);
        for (const version of ["22.19.0", "22.20.1", "23.0.0", "24.1.0", process.versions.node]) {
            assert.equal(nodeProblem("it", version), undefined);
        }
    });
});
