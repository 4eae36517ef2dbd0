import assert from "node:assert/strict";

import { validateReports } from "../../../../../components/features/broker/rules";
import { makeSpec } from "../../../support/spec";

describe("validateReports", () => {
    const problems = (...containers: object[]) => validateReports(makeSpec({ podTemplate: { spec: { containers } } }));

    it("refuses another file for the termination message of the broker's container", () => {
        assert.deepEqual(problems({ name: "log" }, { name: "flux", terminationMessagePath: "/tmp/end" }), [
            {
                property: "podTemplate",
                reason:
                    'has terminationMessagePath "/tmp/end" in the container flux, whose scripts report by ' +
                    "/dev/termination-log. Remove it.",
            },
        ]);
    });

    it("accepts Kubernetes' own file, and any file of another container", () => {
        assert.deepEqual(problems({ name: "flux", terminationMessagePath: "/dev/termination-log" }), []);
        assert.deepEqual(problems({ name: "log", terminationMessagePath: "/tmp/end" }, { name: "flux" }), []);
        assert.deepEqual(validateReports(makeSpec({ podTemplate: { spec: { containers: "x" } } })), []);
        assert.deepEqual(validateReports(makeSpec({})), []);
    });
});
