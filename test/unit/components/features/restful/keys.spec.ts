import assert from "node:assert/strict";

import { deriveKeys } from "../../../../../components/features/restful/keys";

describe("deriveKeys", () => {
    const values = (secret: string, rotate?: string) => Object.values(deriveKeys(secret, rotate));

    it("gives the same keys for the same secret, so that nothing changes by itself", () => {
        assert.deepEqual(deriveKeys("secret"), deriveKeys("secret"));
    });

    it("gives others for another secret, and when they are rotated", () => {
        const all = [...values("one"), ...values("two"), ...values("one", "again")];
        assert.equal(new Set(all).size, 9);
    });

    it("gives 256 bits each, in letters that need no quotes, and few enough for bcrypt", () => {
        values("secret").forEach((key) => assert.match(key, /^[-_A-Za-z0-9]{43}$/));
    });
});
