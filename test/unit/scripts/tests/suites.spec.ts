import assert from "node:assert/strict";

import { choose, describeParts, filesOf, groupsOf, longestFirst, SUITES } from "../../../../scripts/tests/suites";

describe("the files of a suite", () => {
    it("come in the order of their last durations, after the files without one", () => {
        const seconds = { "test/e2e/pod.spec.ts": 30, "test/e2e/user.spec.ts": 90 };
        const files = ["test/e2e/pod.spec.ts", "test/e2e/user.spec.ts", "test/e2e/keys.spec.ts"];
        assert.deepEqual(longestFirst(files, seconds), [
            "test/e2e/keys.spec.ts",
            "test/e2e/user.spec.ts",
            "test/e2e/pod.spec.ts",
        ]);
    });

    it("come in the order of their sizes if nothing has run yet", () => {
        const files = ["test/e2e/munge.spec.ts", "test/e2e/pod.spec.ts", "test/e2e/rbac.spec.ts"];
        assert.deepEqual(longestFirst(files, {}), [
            "test/e2e/pod.spec.ts",
            "test/e2e/rbac.spec.ts",
            "test/e2e/munge.spec.ts",
        ]);
    });

    it("can be chosen by name", () => {
        const files = ["test/faults/ends.spec.ts", "test/faults/hosts.spec.ts", "test/faults/many.spec.ts"];
        assert.deepEqual(choose(files, "many, ends"), ["test/faults/ends.spec.ts", "test/faults/many.spec.ts"]);
        assert.deepEqual(choose(files, undefined), files);
        assert.throws(() => choose(files, "ends,end"), {
            message: "PART=ends,end: there is no end; the parts are ends, hosts, many.",
        });
    });

    it("are listed with their last durations", () => {
        const files = ["test/faults/ends.spec.ts", "test/faults/hosts.spec.ts"];
        assert.equal(
            describeParts(files, { "test/faults/ends.spec.ts": 90 }),
            "2 parts, PART=name,name runs some of them; the last run of 1 took 1.5 min:\n  ends: 1.5 min\n  hosts: not run yet on this machine",
        );
    });

    it("are found in the suite's folders", () => {
        const [e2e, faults] = [filesOf(SUITES.e2e, {}), filesOf(SUITES.faults, {})];
        assert(e2e.includes("test/e2e/dayTwo/resize.spec.ts") && e2e.includes("test/double/ends.spec.ts"));
        assert(faults.includes("test/faults/alone/network.spec.ts"));
        const unit = filesOf(SUITES.unit, { "test/unit/package.spec.ts": 1e9 });
        assert.equal(unit[0], "test/unit/package.spec.ts");
        assert(unit.length > 300 && unit.every((file) => file.startsWith("test/unit/")));
        assert.deepEqual(
            e2e.filter((file) => faults.includes(file)),
            [],
        );
    });

    it("run beside each other, but for those that need the machine alone", () => {
        const [ends, network] = ["test/faults/ends.spec.ts", "test/faults/alone/network.spec.ts"];
        const suite = { ...SUITES.faults, jobs: 3 };
        assert.deepEqual(groupsOf(suite, [network, ends]), [
            { files: [ends], jobs: 3 },
            { files: [network], jobs: 1 },
        ]);
        assert.deepEqual(groupsOf(suite, [network]), [{ files: [network], jobs: 1 }]);
    });
});
