import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { elastic } from "../../../../../components/features/elastic";
import { makeSpec, problemsOf } from "../../../support/spec";

const right: Partial<PlainArgs> = {
    command: [],
    elastic: {},
    maxSize: 6,
    resources: { limits: { cpu: "2" } },
    size: 1,
};
const problems = (args: Partial<PlainArgs>) => problemsOf(elastic, makeSpec({ ...right, ...args }));

describe("the rules of elastic", () => {
    it("accept a persistent cluster with a CPU limit and a maxSize above minSize", () => {
        assert.deepEqual(problems({}), []);
        assert.deepEqual(problems({ archive: { hostPath: "/a" }, elastic: { cooldown: 1, sleepAfter: 10 } }), []);
    });

    const wrong: [string, Partial<PlainArgs>, string][] = [
        [
            "a command",
            { command: ["hostname"] },
            "elastic: is given, but an ephemeral cluster has the size of its command. Remove elastic or command.",
        ],
        [
            "no CPU limit",
            { resources: { limits: { memory: "1Gi" } } },
            "elastic: is given, but the cores of a rank that doesn't run yet are unknown. Give cores or resources.requests.cpu.",
        ],
        [
            "a maxSize that is minSize",
            { maxSize: 2, minSize: 2, size: 2 },
            "elastic: is given, but maxSize 2 is not above minSize 2; without maxSize, both are size. Raise maxSize, or lower minSize.",
        ],
        [
            "a sleep without an archive",
            { elastic: { sleepAfter: 60 } },
            "elastic.sleepAfter: is given, but the queue would be lost with the lead's pod. Add archive, or remove sleepAfter.",
        ],
        [
            "a sleep of a suspended cluster",
            { archive: { hostPath: "/a" }, elastic: { sleepAfter: 60 }, suspend: true },
            "elastic.sleepAfter: is given, but suspend is true, so the cluster never runs. Remove one of them.",
        ],
        [
            "processes that see those of other containers",
            { podTemplate: { spec: { shareProcessNamespace: true } } },
            "podTemplate: has spec.shareProcessNamespace true, so that jobs could read the token with the right to the Job. " +
                "Remove it, or remove elastic.",
        ],
    ];
    for (const [what, args, problem] of wrong) {
        it(`refuse ${what}`, () => assert.deepEqual(problems(args), [problem]));
    }
});
