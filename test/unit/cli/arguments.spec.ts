import assert from "node:assert/strict";

import { numberOf } from "../../../cli/definition/arguments";
import { parseJobs } from "../../../cli/fluxJob/rows";
import { chosenOf, exported } from "../../../cli/target/stack";
import { age, table } from "../../../cli/terminal/terminal";

describe("numberOf", () => {
    it("reads an option that takes a number, and refuses 0", () => {
        assert.equal(numberOf({ nodes: "2" }, "nodes"), 2);
        assert.equal(numberOf({}, "nodes"), undefined);
        assert.throws(() => numberOf({ nodes: "0" }, "nodes"), {
            message: '--nodes is "0"; it must be a whole number, at least 1.',
        });
    });
});

describe("exported", () => {
    const cluster = { name: "lammps", namespace: "hpc", hosts: ["lammps-0"], phase: "ready" };

    it("finds the MiniCluster that a stack exports, as one output or field by field", () => {
        for (const outputs of [{ cluster, result: "55" }, cluster]) {
            assert.deepEqual(chosenOf(exported(outputs), undefined), cluster);
        }
        assert.equal(chosenOf(exported({ a: cluster, b: { ...cluster, name: "other" } }), "lammps"), cluster);
        assert.equal(chosenOf(exported({ result: 1, none: null }), undefined), undefined);
    });

    it("lists several MiniClusters to choose from", () => {
        assert.throws(() => chosenOf(exported({ a: cluster, b: { ...cluster, name: "other" } }), undefined), {
            message: "The stack exports lammps, other. Select one with --cluster.",
        });
    });
});

describe("parseJobs", () => {
    it("reads an empty field as null, and keeps the tabs of a job's name", () => {
        const text = "f26Zqx\tCOMPLETED\t0\t2\t4\t1.5\ta\tb\nf26Zqy\tSCHED\t\t\t4\t0.0\tnext\n";
        assert.deepEqual(parseJobs(text), [
            { jobId: "f26Zqx", status: "COMPLETED", exitCode: 0, nodes: 2, tasks: 4, seconds: 1.5, name: "a\tb" },
            { jobId: "f26Zqy", status: "SCHED", exitCode: null, nodes: null, tasks: 4, seconds: 0, name: "next" },
        ]);
    });
});

describe("table", () => {
    it("aligns the columns, and uses no colours without a terminal", () => {
        assert.equal(
            table(
                ["NAME", "PHASE"],
                [
                    ["a-long-name", "ready"],
                    ["b", "failed"],
                ],
            ),
            "NAME         PHASE\na-long-name  ready\nb            failed\n",
        );
    });

    it("shows an age in seconds, minutes, hours or days", () => {
        assert.deepEqual([0, 59_000, 60_000, 7_200_000, 86_400_000 * 3].map(age), ["0s", "59s", "1m", "2h", "3d"]);
    });
});
