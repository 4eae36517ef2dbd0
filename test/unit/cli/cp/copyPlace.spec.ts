import assert from "node:assert/strict";

import { baseOf, placeOf, routeOf } from "../../../../cli/cp/copyPlace";

describe("placeOf", () => {
    const cases: [string, object][] = [
        ["lammps:/data/out", { path: "/data/out", pod: { cluster: "lammps", rank: undefined } }],
        ["lammps/2:/tmp/core.1", { path: "/tmp/core.1", pod: { cluster: "lammps", rank: 2 } }],
        ["lammps:a b:c", { path: "a b:c", pod: { cluster: "lammps", rank: undefined } }],
        [":out", { path: "out", pod: { cluster: undefined, rank: undefined } }],
        ["3:/tmp", { path: "/tmp", pod: { cluster: undefined, rank: 3 } }],
        ["out", { path: "out" }],
        ["./a:b", { path: "./a:b" }],
        ["/data/a:b", { path: "/data/a:b" }],
        ["C:\\data", { path: "C:\\data" }],
        [".", { path: "." }],
    ];
    for (const [word, expected] of cases) {
        it(`reads "${word}"`, () => assert.deepEqual({ ...placeOf(word) }, expected));
    }

    it("refuses kubectl's namespace, a missing path and an empty word", () => {
        assert.throws(() => placeOf("hpc/lammps:/data"), {
            message: '"hpc/lammps:/data" begins with a namespace; give it by --namespace, and the path as NAME:PATH.',
        });
        assert.throws(() => placeOf("lammps:"), {
            message: '"lammps:" has no path behind the colon; "." is the folder in which the container starts.',
        });
        assert.throws(() => placeOf(""), { message: "cp is given an empty word in place of a path." });
    });
});

describe("routeOf", () => {
    it("tells the direction, and takes the cluster of the options for a path without one", () => {
        assert.deepEqual(routeOf("2:/a", "b", "lammps"), {
            isOut: true,
            cluster: "lammps",
            rank: 2,
            from: "/a",
            to: "b",
        });
        assert.deepEqual(routeOf("b", "lammps:a", undefined), {
            isOut: false,
            cluster: "lammps",
            rank: undefined,
            from: "b",
            to: "a",
        });
    });

    it("refuses a copy on one side, and two clusters", () => {
        const form = "A path in a pod is NAME:PATH or NAME/RANK:PATH.";
        assert.throws(() => routeOf("a", "b", "lammps"), {
            message: `cp is given "a" and "b", and none of them is in a pod. ${form}`,
        });
        assert.throws(() => routeOf("a:/x", "b:/x", undefined), {
            message: `cp is given "a:/x" and "b:/x", and both of them are in pods; copy through a local file. ${form}`,
        });
        assert.throws(() => routeOf("a:/x", ".", "b"), {
            message: '--cluster is "b", and the path is of the cluster "a". Give one of them.',
        });
    });
});

describe("baseOf", () => {
    it("is the last name of a path, and empty for the content of a folder", () => {
        assert.deepEqual(["/a/b", "/a/b/", "/a/b/.", "/", ".", "..", "a"].map(baseOf), ["b", "b", "", "", "", "", "a"]);
    });
});
