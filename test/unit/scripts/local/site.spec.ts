import assert from "node:assert/strict";

import { addresses, urlHost } from "../../../../scripts/local/cluster/site";

describe("a local cluster's addresses", () => {
    for (const family of ["ipv4", "ipv6"] as const) {
        it(`differ from those of every other cluster (${family})`, () => {
            const all = Array.from({ length: 100 }, (_, index) => addresses(index, family));
            for (const key of ["node", "machine", "podRange", "serviceRange", "apiService"] as const) {
                assert.equal(new Set(all.map((one) => one[key])).size, all.length, key);
            }
        });
    }

    it("stand in brackets in a URL if they contain colons", () => {
        assert.equal(urlHost("10.245.0.1"), "10.245.0.1");
        assert.equal(urlHost("fd45::1"), "[fd45::1]");
    });
});
