import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { ending } from "../../../../../components/features/ending";
import { makeSpec, problemsOf } from "../../../support/spec";

describe("the rules of ending", () => {
    const problems = (args: Partial<PlainArgs>) => problemsOf(ending, makeSpec({ command: [], ...args }));

    it("accept a time for running jobs", () => assert.deepEqual(problems({ drainTimeout: 60 }), []));

    const late = "is given, but a cluster with a command has no queue that outlives it. Remove it, or the command.";
    const wrong: [Partial<PlainArgs>, string[]][] = [
        [{ drainTimeout: -1 }, ["drainTimeout: is -1; it must be at least 0."]],
        [
            { drainTimeout: 60, terminationGracePeriodSeconds: 60 },
            [
                "terminationGracePeriodSeconds: is 60, within which drainTimeout 60 and the end itself have to fit. Raise it, or leave it out.",
            ],
        ],
        [
            { drainTimeout: 600 },
            [
                "timeouts.delete: is 300, but a pod may take 620 to end. Raise timeouts.delete above that, or lower drainTimeout.",
            ],
        ],
        [{ command: ["x"], drainTimeout: 5 }, [`drainTimeout: ${late}`]],
    ];
    for (const [args, texts] of wrong) {
        it(`refuse ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), texts));
    }

    it("leaves the end as much time as it needs", () => {
        const { terminationGracePeriodSeconds } = makeSpec({
            command: [],
            drainTimeout: 60,
            archive: { hostPath: "/x" },
        });
        assert.equal(terminationGracePeriodSeconds, 90);
    });
});
