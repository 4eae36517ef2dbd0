import assert from "node:assert/strict";

import { deriveKeys } from "../../../../../components/features/restful/children";

describe("deriveKeys", () => {
    const values = (secret: string, rotate?: string) => Object.values(deriveKeys(secret, rotate));

    it("derives the same keys from the same secret, so that nothing changes by itself", () => {
        assert.deepEqual(deriveKeys("secret"), deriveKeys("secret"));
    });

    it("derives other keys from another secret, and after a rotation", () => {
        const all = [...values("one"), ...values("two"), ...values("one", "again")];
        assert.equal(new Set(all).size, 9);
    });

    it("derives 256 bits for each key, in few characters that need no quotes, so that bcrypt takes them", () => {
        values("secret").forEach((key) => assert.match(key, /^[-_A-Za-z0-9]{43}$/));
    });
});
