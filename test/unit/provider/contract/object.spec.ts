import assert from "node:assert/strict";

import { compact, mergePatch, sortKeys } from "../../../../provider/contract/object";

describe("compact", () => {
    it("leaves out undefined, null, empty lists and empty objects, and keeps 0, false and empty text", () => {
        const object = { a: undefined, b: null, c: [], d: {}, e: 0, f: false, g: "", h: [0] };
        assert.deepEqual(compact<object>(object), { e: 0, f: false, g: "", h: [0] });
    });

    it("keeps empty objects one level down, where they have a meaning", () => {
        assert.deepEqual(compact({ volume: { emptyDir: {} } }), { volume: { emptyDir: {} } });
    });
});

describe("sortKeys", () => {
    it("sorts keys at every depth, and keeps the order of lists", () => {
        const sorted = sortKeys({ b: [{ d: 1, c: 2 }, 1], a: { z: null, y: "" } });
        assert.equal(JSON.stringify(sorted), '{"a":{"y":"","z":null},"b":[{"c":2,"d":1},1]}');
    });

    it("sorts by code unit, not by the machine's locale", () => {
        assert.deepEqual(Object.keys(sortKeys({ b: 1, B: 1, ä: 1, a: 1 })), ["B", "a", "b", "ä"]);
    });
});

describe("mergePatch", () => {
    const cases: [string, unknown, unknown, unknown][] = [
        ["merges objects", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
        ["removes keys whose value is null", { a: 1, b: 2 }, { a: null }, { b: 2 }],
        ["ignores the removal of a missing key", { b: 2 }, { a: null }, { b: 2 }],
        ["replaces values of any type", { a: 1 }, { a: "x" }, { a: "x" }],
        ["replaces lists of plain values", { a: [1, 2] }, { a: [3] }, { a: [3] }],
        ["replaces lists of objects without names", { a: [{ key: 1 }] }, { a: [{ key: 2 }] }, { a: [{ key: 2 }] }],
        [
            "merges lists of named items by name, and appends new items",
            { c: [{ name: "flux", image: "x" }, { name: "b" }] },
            { c: [{ name: "new" }, { name: "flux", tty: true }] },
            { c: [{ name: "flux", image: "x", tty: true }, { name: "b" }, { name: "new" }] },
        ],
        ["empties a list of named items", { c: [{ name: "a" }] }, { c: [] }, { c: [] }],
        [
            "adds a second mount of a volume, because a mount's name is its volume's",
            { m: [{ name: "shm", mountPath: "/dev/shm" }] },
            { m: [{ name: "shm", mountPath: "/scratch" }] },
            {
                m: [
                    { name: "shm", mountPath: "/dev/shm" },
                    { name: "shm", mountPath: "/scratch" },
                ],
            },
        ],
        [
            "changes the mount at a path",
            { m: [{ name: "shm", mountPath: "/dev/shm" }] },
            { m: [{ name: "other", mountPath: "/dev/shm" }] },
            { m: [{ name: "other", mountPath: "/dev/shm" }] },
        ],
    ];
    for (const [sentence, base, patch, expected] of cases) {
        it(sentence, () => {
            assert.deepEqual(mergePatch(base, patch), expected);
        });
    }

    it("changes neither of its arguments", () => {
        const base = Object.freeze({ a: Object.freeze({ b: 1 }), c: Object.freeze([Object.freeze({ name: "x" })]) });
        assert.deepEqual(mergePatch(base, { a: { b: null }, c: [{ name: "x", y: 1 }] }), {
            a: {},
            c: [{ name: "x", y: 1 }],
        });
    });
});
