import assert from "node:assert/strict";

import { namesCluster } from "../../../../cli/definition/clusterWord";
import { status } from "../../../../cli/status/definition";
import { isRank, jobIdOf } from "../../../../cli/fluxJob/id";

/** One id in the forms of `flux job id --to=FORM`. */
const FORMS = [
    "ƒ26Zqx",
    "f26Zqx",
    "1234567890123",
    "0x11f71fb04cb",
    "0000.011f.71fb.04cb",
    "job.0000.011f.71fb.04cb",
    "cyclone-snow-casino--balance-visa-zebra",
    "😃😃🐀📚",
];

describe("jobIdOf", () => {
    it("takes each form in which Flux prints an id, and none of them is the name of a cluster or a rank", () => {
        for (const form of FORMS) {
            assert.equal(jobIdOf(form), form.replace("ƒ", "f"));
            assert.deepEqual([namesCluster(status, form), isRank(form)], [false, false], form);
        }
    });

    it("refuses other words", () => {
        for (const word of ["flux", "f0", "stay-1", "", "f26Zqx; true", "123"]) {
            assert.throws(
                () => jobIdOf(word),
                new RegExp(`^Error: "${word}" is no id of a job; it must be one that Flux prints`),
            );
        }
    });
});

describe("namesCluster", () => {
    it("takes names of clusters, also those that may be an id in lower case", () => {
        assert.deepEqual(
            ["lammps", "stay-1", "foo"].map((word) => namesCluster(status, word)),
            [true, true, true],
        );
        assert.deepEqual(
            ["2", "9000:80", ":80", "Stay", "a.b", "-x"].map((word) => namesCluster(status, word)),
            [false, false, false, false, false, false],
        );
    });
});
