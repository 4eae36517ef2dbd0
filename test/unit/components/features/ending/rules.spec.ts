import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { ending } from "../../../../../components/features/ending";
import { makeSpec, problemsOf } from "../../../support/spec";

describe("the rules of ending", () => {
    const problems = (args: Partial<PlainArgs>) => problemsOf(ending, makeSpec({ command: [], ...args }));

    it("accept a drainTimeout", () => assert.deepEqual(problems({ drainTimeout: 60 }), []));

    const late = "is given, but an ephemeral cluster ends with its command. Remove drainTimeout or command.";
    const wrong: [Partial<PlainArgs>, string[]][] = [
        [{ drainTimeout: -1 }, ["drainTimeout: is -1; it must be at least 0."]],
        [
            { drainTimeout: 60, terminationGracePeriodSeconds: 60 },
            [
                "terminationGracePeriodSeconds: is 60; it must be above drainTimeout 60, because the end itself takes time too. Raise it, or leave it out.",
            ],
        ],
        [
            { drainTimeout: 600 },
            [
                "timeouts.delete: is 300, but a pod may take 620 seconds to end. Raise it above that, or lower drainTimeout.",
            ],
        ],
        [{ command: ["x"], drainTimeout: 5 }, [`drainTimeout: ${late}`]],
    ];
    for (const [args, texts] of wrong) {
        it(`refuse ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), texts));
    }

    it("extend the grace period by drainTimeout", () => {
        const { terminationGracePeriodSeconds } = makeSpec({
            command: [],
            drainTimeout: 60,
            archive: { hostPath: "/x" },
        });
        assert.equal(terminationGracePeriodSeconds, 90);
    });
});
