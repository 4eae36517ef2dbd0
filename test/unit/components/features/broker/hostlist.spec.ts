import assert from "node:assert/strict";

import { allHosts, firstIds, hostlist } from "../../../../../components/features/broker/hostlist";

describe("hostlist", () => {
    it("writes ranks as one bracketed range", () => {
        assert.equal(hostlist("lammps", 1, 3), "lammps-[1-3]");
    });

    it("writes a single rank as its host name, because RFC 29 has no range of one", () => {
        assert.equal(hostlist("lammps", 2, 2), "lammps-2");
    });

    it("keeps digits and dashes of the cluster's name out of the range", () => {
        assert.equal(hostlist("run-7", 0, 12), "run-7-[0-12]");
    });
});

describe("allHosts", () => {
    for (const [maxSize, expected] of [
        [1, "lammps-0"],
        [2, "lammps-[0-1]"],
        [100_000, "lammps-[0-99999]"],
    ] as const) {
        it(`lists the ranks from 0 for maxSize ${maxSize}`, () => {
            assert.equal(allHosts("lammps", maxSize), expected);
        });
    }
});

describe("firstIds", () => {
    it("writes several ids as a range", () => {
        assert.equal(firstIds(4), "0-3");
    });

    it("writes one id without a range", () => {
        assert.equal(firstIds(1), "0");
    });
});
