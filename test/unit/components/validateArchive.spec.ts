import assert from "node:assert/strict";

import { OnDamage } from "../../../components/archiveArgs";
import { validateArchive } from "../../../components/validateArchive";
import type { PlainArgs } from "../../../components/spec";
import { makeSpec } from "../support/spec";

const problemsOf = (args: Partial<PlainArgs>) =>
    validateArchive(makeSpec({ command: [], ...args })).map(({ property, reason }) => `${property}: ${reason}`);

describe("validateArchive", () => {
    for (const args of [{}, { archive: { persistentVolumeClaim: "queue" } }, { archive: { hostPath: "/x", folder: "a.b" } }, { archive: { hostPath: "/x", onDamage: OnDamage.Fail } }, { drainTimeout: 60 }]) {
        it(`accepts ${JSON.stringify(args)}`, () => assert.deepEqual(problemsOf(args), []));
    }

    const late = "is given, but a cluster with a command has no queue that outlives it. Remove it, or the command.";
    const wrong: [Partial<PlainArgs>, string[]][] = [
        [{ archive: {} }, ["archive: has no source; give exactly one of hostPath, persistentVolumeClaim, source."]],
        [
            { archive: { hostPath: "/x", source: {} } },
            ["archive: has hostPath and source; give exactly one of hostPath, persistentVolumeClaim, source."],
        ],
        [
            { archive: { hostPath: "/x", folder: "../x" } },
            [`archive.folder: is "../x"; a folder's name has up to 128 letters, digits, '.', '_' and '-', the first a letter or a digit.`],
        ],
        [
            { archive: { hostPath: "/x", period: -1 } },
            ["archive.period: is -1; it must be at least 0."],
        ],
        [{ drainTimeout: -1 }, ["drainTimeout: is -1; it must be at least 0."]],
        [
            { drainTimeout: 60, terminationGracePeriodSeconds: 60 },
            ["terminationGracePeriodSeconds: is 60, within which drainTimeout 60 and the end itself have to fit. Raise it, or leave it out."],
        ],
        [
            { drainTimeout: 600 },
            ["timeouts.delete: is 300, but a pod may take 620 to end. Raise timeouts.delete above that, or lower drainTimeout."],
        ],
        [{ command: ["x"], archive: { hostPath: "/x" }, drainTimeout: 5 }, [`archive: ${late}`, `drainTimeout: ${late}`]],
    ];
    for (const [args, texts] of wrong) {
        it(`refuses ${JSON.stringify(args)}`, () => assert.deepEqual(problemsOf(args), texts));
    }

    it("leaves the end as much time as it needs", () => {
        const { terminationGracePeriodSeconds } = makeSpec({ command: [], drainTimeout: 60, archive: { hostPath: "/x" } });
        assert.equal(terminationGracePeriodSeconds, 90);
    });
});
