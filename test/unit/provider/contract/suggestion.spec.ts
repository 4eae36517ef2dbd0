import assert from "node:assert/strict";

import { suggestionFor } from "../../../../provider/contract/suggestion";

describe("suggestionFor", () => {
    it("prefers, of equally near names, the one that has the unknown name as a part", () => {
        assert.equal(suggestionFor("node", ["code", "nodes"], {}), "Did you mean nodes?");
        assert.equal(suggestionFor("cods", ["code", "nodes"], {}), "Did you mean code?");
    });
});
