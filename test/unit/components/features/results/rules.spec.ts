import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { decideCluster, resolveSpec } from "../../../../../components/arguments/decide";

type Results = NonNullable<PlainArgs["results"]>;

const volumes = [
    { name: "data", mountPath: "/data/", hostPath: "/srv" },
    { name: "inputs", mountPath: "/inputs", readOnly: true, hostPath: "/srv" },
];
const all = (results: Partial<Results>, more: Partial<PlainArgs> = {}): PlainArgs => ({
    image: "a:1",
    command: ["a"],
    volumes,
    results: { paths: ["out/"], ...results },
    ...more,
});
const problemsOf = (...of: Parameters<typeof all>) =>
    decideCluster("some", all(...of)).problems.map(({ property, reason }) => `${property} ${reason}`);

describe("the rules of results", () => {
    it("accept what can work", () => {
        for (const results of [
            { paths: ["out/", "*.png", "/data/**/x", "a b", ".", "./out"] },
            { volume: "data", path: "runs/1" },
            { onFailure: true, keepFor: 1, limit: "1Gi" },
        ]) {
            assert.deepEqual(problemsOf(results), []);
        }
    });

    for (const [results, more, expected] of [
        [
            {},
            { command: [] },
            "results is given, but this cluster is persistent, and has no command that ends. Give a command too, or copy files by npx flux-minicluster cp.",
        ],
        [
            { paths: [] },
            {},
            'results.paths has no patterns. Name the files and folders that the command leaves behind, such as "out/".',
        ],
        [
            { paths: ["a", "../b"] },
            {},
            'results.paths[1] is "../b"; it must be a path without "..", in which * and ? may stand for characters.',
        ],
        [
            { paths: [""] },
            {},
            'results.paths[0] is ""; it must be a path without "..", in which * and ? may stand for characters.',
        ],
        [
            { volume: "other" },
            {},
            'results.volume is "other", which is none of volumes: these are data, inputs. Name one, or add it there.',
        ],
        [
            { volume: "other" },
            { volumes: [] },
            'results.volume is "other", which is none of volumes: there are none. Name one, or add it there.',
        ],
        [
            { volume: "inputs" },
            {},
            'results.volume is "inputs", which is mounted for reading only. Remove readOnly, or name another volume.',
        ],
        [{ path: "a" }, {}, 'results.path is "a", a folder in a volume, but there is no results.volume. Give both.'],
        [
            { volume: "data", path: "/a" },
            {},
            'results.path is "/a"; it must be the relative path of a folder in the volume.',
        ],
        [
            { volume: "data", path: "a/../.." },
            {},
            'results.path is "a/../.."; it must be the relative path of a folder in the volume.',
        ],
        [
            { onFailure: true },
            { backoffLimit: 2 },
            "results.onFailure is true, but backoffLimit 2 starts a failed command again. Set backoffLimit to 0.",
        ],
        [{ keepFor: 0 }, {}, "results.keepFor is 0; it must be at least 1."],
        [
            { limit: "much" },
            {},
            'results.limit is "much", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
    ] as [Partial<Results>, Partial<PlainArgs>, string][]) {
        it(`refuse ${JSON.stringify({ ...results, ...more })}`, () =>
            assert.deepEqual(problemsOf(results, more), [expected]));
    }

    it("leave out parts of patterns that mean nothing, and take . for all", () => {
        const { results } = resolveSpec("some", all({ paths: ["./out//a/", "/data//x", ".", "./"] }));
        assert.deepEqual(results?.paths, ["out/a", "/data/x", "*", "*"]);
    });
});
