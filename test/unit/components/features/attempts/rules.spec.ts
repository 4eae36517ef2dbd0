import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { attempts } from "../../../../../components/features/attempts";
import { needsAllRanks, OnRankLoss } from "../../../../../components/features/attempts/lossPolicy";
import { makeSpec, problemsOf } from "../../../support/spec";

const { Continue, Rerun } = OnRankLoss;

describe("the rules of attempts", () => {
    const problems = (args: Partial<PlainArgs>) => problemsOf(attempts, makeSpec({ size: 4, ...args }));

    const right: Partial<PlainArgs>[] = [
        { onRankLoss: Rerun },
        { onRankLoss: Rerun, minSize: 2, maxSize: 4 },
        { onRankLoss: Rerun, size: 3, maxSize: 4, nodes: 3 },
        { onRankLoss: Continue, size: 3, minSize: 2, maxSize: 4 },
        { onRankLoss: Continue, minSize: 3 },
        { onRankLoss: Continue, minSize: 2, tasks: 4, resources: { limits: { cpu: "2" } } },
        { checkpoint: {} },
        { checkpoint: { signal: "SIGTERM", seconds: 250 } },
        { checkpoint: { seconds: 60 }, terminationGracePeriodSeconds: 70 },
    ];
    for (const args of right) {
        it(`accept ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), []));
    }

    const wrong: [Partial<PlainArgs>, string[]][] = [
        [
            { command: [], onRankLoss: Rerun },
            [`onRankLoss: is "rerun", but there is no command. Remove it, or give a command.`],
        ],
        [
            { launcher: true, onRankLoss: Rerun, checkpoint: {} },
            [
                `onRankLoss: is "rerun", but with launcher the command submits its own jobs, and decides on them. Remove it, or remove launcher.`,
                `checkpoint: is given, but with launcher the command submits its own jobs, and decides on them. Remove it, or remove launcher.`,
            ],
        ],
        [
            { onRankLoss: Rerun, size: 3, maxSize: 4 },
            [
                `onRankLoss: is "rerun", but maxSize 4 is above size 3; each attempt waits for as many ranks as the first one had. Set maxSize to at most size, or use "continue".`,
            ],
        ],
        [
            { onRankLoss: Rerun, size: 3, maxSize: 4, nodes: 4 },
            [
                `onRankLoss: is "rerun", but nodes 4 is above size 3; each attempt waits for as many ranks as the first one had. Set nodes to at most size, or use "continue".`,
            ],
        ],
        [
            { onRankLoss: Continue },
            [
                `onRankLoss: is "continue", but minSize 4 is not below size 4, so that the command can't go on with fewer ranks. Lower minSize, or use "rerun".`,
            ],
        ],
        [
            { onRankLoss: Continue, minSize: 2, nodes: 4 },
            [
                `onRankLoss: is "continue", but nodes is 4; then the command can't go on with fewer ranks. Remove nodes, or use "rerun".`,
            ],
        ],
        [
            { checkpoint: { signal: "USR9", seconds: 0 } },
            [
                `checkpoint.signal: is "USR9", which is no signal of Linux. Use a name such as TERM or USR1.`,
                "checkpoint.seconds: is 0; it must be at least 1.",
            ],
        ],
        [
            { checkpoint: { seconds: 60 }, terminationGracePeriodSeconds: 69 },
            [
                "terminationGracePeriodSeconds: is 69; it must be at least 70: checkpoint.seconds 60, and 10 for the end itself. Raise it, or leave it out.",
            ],
        ],
        [
            { checkpoint: { seconds: 600 } },
            [
                "timeouts.delete: is 300, but a pod may take 620 seconds to end. Raise it above that, or lower checkpoint.seconds.",
            ],
        ],
    ];
    for (const [args, texts] of wrong) {
        it(`refuse ${JSON.stringify(args)}`, () => assert.deepEqual(problems(args), texts));
    }
});

describe("a command that starts again", () => {
    const rows: [Partial<PlainArgs>, boolean][] = [
        [{}, false],
        [{ onRankLoss: Rerun }, true],
        [{ onRankLoss: Rerun, minSize: 2 }, false],
        [{ onRankLoss: Rerun, minSize: 2, nodes: 4 }, true],
        [{ onRankLoss: Rerun, nodes: 3 }, false],
        [{ onRankLoss: Rerun, tasks: 3 }, false],
        [{ onRankLoss: Rerun, tasks: 8 }, true],
        [{ onRankLoss: Rerun, tasksPerNode: 2 }, true],
        [{ onRankLoss: Continue, minSize: 2 }, false],
    ];
    for (const [args, expected] of rows) {
        it(`${expected ? "needs" : "may not need"} all ranks with ${JSON.stringify(args)}`, () =>
            assert.equal(needsAllRanks(makeSpec({ size: 4, ...args })), expected));
    }
});

describe("a command that gets a notice", () => {
    const graceOf = (args: Partial<PlainArgs>) => makeSpec(args).terminationGracePeriodSeconds;

    it("has time for it in the grace period", () => {
        assert.equal(graceOf({}), 10);
        assert.equal(graceOf({ onRankLoss: Rerun }), 20);
        assert.equal(graceOf({ checkpoint: {} }), 50);
        assert.equal(graceOf({ onRankLoss: Rerun, checkpoint: { seconds: 100 } }), 120);
    });
});
