import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { hasArchiveOf, isArchived } from "../../../../../provider/observe/pods/archive";
import { makeInputs } from "../../../support/jobs";

const archive = { persistentVolumeClaim: "queue", folder: "shared" };
const jobOf = (args: Partial<PlainArgs> = {}) => makeInputs({ command: [], size: 2, archive, ...args }).manifest;

/** The same Job under another name or in another namespace. */
function moved(place: { readonly name?: string; readonly namespace?: string }) {
    const job = jobOf();
    return { ...job, metadata: { ...job.metadata, ...place } };
}

describe("the archive of a Job", () => {
    it("is that of a Job which follows with the same volume and folder", () => {
        assert.ok(isArchived(jobOf()));
        assert.ok(hasArchiveOf(jobOf(), jobOf({ image: "other" })));
    });

    const others: [string, object][] = [
        ["another volume", jobOf({ archive: { ...archive, persistentVolumeClaim: "other" } })],
        ["another folder", jobOf({ archive: { ...archive, folder: "other" } })],
        ["another name, whose lead sets the archive aside", moved({ name: "other" })],
        ["another namespace, whose claim is another one", moved({ namespace: "other" })],
        ["no archive", jobOf({ archive: undefined })],
    ];
    for (const [what, other] of others) {
        it(`isn't that of a Job with ${what}`, () => assert.ok(!hasArchiveOf(jobOf(), other)));
    }
});
