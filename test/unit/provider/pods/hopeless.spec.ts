import assert from "node:assert/strict";

import * as fc from "fast-check";

import { isHopeless, isRefusedForGood } from "../../../../provider/pods/hopeless";

const job = (parallelism: number) => ({ spec: { parallelism } }) as any;
const quota = (requested: string, limited: string) =>
    `pods "x" is forbidden: exceeded quota: q, requested: ${requested}, used: cpu=1, limited: ${limited}`;

describe("isHopeless", () => {
    it("takes words that it doesn't know for a problem that may pass", () => {
        const word = fc.constantFrom(
            "disk",
            "volume",
            "node",
            "failed",
            "not found",
            "denied",
            "error",
            "code = Internal",
        );
        const text = fc.array(word).map((words) => words.join(" "));
        fc.assert(fc.property(text, (words) => !isHopeless(words)));
    });

    it("takes a lasting problem for one that may pass if the kubelet hadn't read the object", () => {
        assert.equal(isHopeless('secret "x" not found'), true);
        assert.equal(isHopeless('secret "x" not found: timed out waiting for the condition'), false);
    });
});

describe("isRefusedForGood", () => {
    const cases: [string, string, number, boolean][] = [
        ["a quota that one pod exceeds", quota("cpu=2", "cpu=1"), 1, true],
        ["a quota that all pods fit into", quota("cpu=2", "cpu=8"), 4, false],
        ["a quota that only some pods fit into", quota("cpu=2", "cpu=7"), 4, true],
        ["one of two exceeded resources", quota("cpu=1,requests.memory=3Gi", "cpu=8,requests.memory=2048Mi"), 1, true],
        [
            "a quota that isn't counted yet",
            'pods "x" is forbidden: status unknown for quota: q, resources: cpu',
            1,
            false,
        ],
        ["words that it doesn't know", "etcdserver: leader changed", 1, false],
    ];
    for (const [what, text, pods, expected] of cases) {
        it(`is ${expected} for ${what}`, () => assert.equal(isRefusedForGood(text, job(pods)), expected));
    }
});
