import assert from "node:assert/strict";

import type { Progress } from "../../../../provider/jobStatus/readiness";
import { Sharing } from "../../../../provider/jobStatus/sharing";
import type { Pod } from "../../../../provider/observe/pods/pod";

const ready = { phase: "ready" } as Progress;
const on = (...nodes: (string | undefined)[]) => nodes.map((node, rank) => ({ rank, node }) as Pod);

describe("ranks that share a node", () => {
    const cases: [string, Pod[], string | undefined][] = [
        ["one rank on each node", on("a", "b"), undefined],
        ["a rank without a node", on(undefined, undefined, "a"), undefined],
        ["all ranks on a node", on("a", "a", "a"), "ranks 0-2 share node a, and each counts all CPUs that it may use:"],
        [
            "two nodes",
            on("a", "b", "b", "a", "a"),
            "ranks 0,3-4 share node a, and each counts all CPUs that it may use, and those of another node too:",
        ],
        [
            "three nodes",
            on("a", "b", "c", "a", "b", "c", "c"),
            "ranks 2,5-6 share node c, and each counts all CPUs that it may use, and those of 2 other nodes too:",
        ],
    ];
    for (const [what, ranks, start] of cases) {
        it(`${start === undefined ? "say nothing for" : "say once what they count, for"} ${what}`, () => {
            const sharing = new Sharing(true);
            assert.equal(sharing.take(ranks, { phase: "starting" } as Progress, false), undefined);
            const said = sharing.take(ranks, ready, false);
            assert.equal(said?.slice(0, start?.length), start);
            assert.equal(sharing.take(ranks, ready, false), undefined);
        });
    }

    it("say it at the end of a command that was never seen to run", () => {
        const ended = { phase: "succeeded", outcome: "reached" } as Progress;
        assert.match(new Sharing(true).take(on("a", "a"), ended, false) ?? "", /^ranks 0-1 share node a/);
    });

    it("say nothing if the arguments give their cores", () => {
        assert.equal(new Sharing(undefined).take(on("a", "a"), ready, false), undefined);
    });

    it("say nothing if a LimitRange has given them a quota", () => {
        assert.equal(new Sharing(true).take(on("a", "a"), ready, true), undefined);
    });
});
