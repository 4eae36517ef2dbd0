import assert from "node:assert/strict";

import { Warnings } from "../../../../../provider/observe/pods/warnings";

const SECOND = 1000;

function warningsAfter(...events: [message: string, seen: number, last: number, uid?: string, version?: string][]) {
    const warnings = new Warnings();
    for (const [message, seen, last, uid, resourceVersion] of events) {
        const lastTimestamp = new Date(last * SECOND);
        const metadata = { uid, resourceVersion };
        warnings.add({ involvedObject: { uid: "pod" }, reason: "FailedMount", message, lastTimestamp, metadata }, seen);
    }
    return warnings.of("pod").map(({ at, first, message }) => [message, first, at]);
}

describe("Warnings", () => {
    it("has the newest kind of warning first, however often an older one is repeated", () => {
        const all = warningsAfter(["disk a", 1, 1], ["disk b", 2, 2], ["disk a", 3, 3]);
        assert.deepEqual(
            all.map(([message]) => message),
            ["disk b", "disk a"],
        );
    });

    it("takes warnings that differ in numbers for one, with the time and the text of the first", () => {
        assert.deepEqual(warningsAfter(["try 1", 1, 1], ["try 2", 5, 5]), [["try 2", "try 1", 1]]);
    });

    it("forgets a warning that isn't repeated any more while another one is", () => {
        const all = warningsAfter(["disk a", 1, 1], ["disk b", 2, 100], ["disk b", 3, 151]);
        assert.deepEqual(
            all.map(([message]) => message),
            ["disk b"],
        );
    });

    it("compares only times of one program, because clocks differ", () => {
        const warnings = new Warnings();
        for (const [component, message, last] of [
            ["kubelet", "disk a", 1],
            ["default-scheduler", "no node", 1000],
        ] as const) {
            const times = { lastTimestamp: new Date(last * SECOND), source: { component } };
            warnings.add({ involvedObject: { uid: "pod" }, reason: "Failed", message, metadata: {}, ...times }, last);
        }
        assert.equal(warnings.of("pod").length, 2);
    });

    it("reads an Event once, also if it is listed again", () => {
        assert.deepEqual(warningsAfter(["disk a", 1, 1, "event", "7"], ["disk a", 9, 1, "event", "7"]), [
            ["disk a", "disk a", 1],
        ]);
    });

    it("reads the times of both APIs for Events", () => {
        const warnings = new Warnings();
        const event = { involvedObject: { uid: "pod" }, reason: "x", metadata: {} };
        warnings.add({ ...event, message: "a", eventTime: new Date(7), reportingComponent: "scheduler" }, 1);
        warnings.add({ ...event, message: "b", series: { lastObservedTime: new Date(8) } }, 1);
        warnings.add({ ...event, message: "c" }, 9);
        assert.deepEqual(
            warnings.of("pod").map(({ last, message, source }) => [message, last, source]),
            [
                ["c", 9, ""],
                ["b", 8, ""],
                ["a", 7, "scheduler"],
            ],
        );
    });
});
