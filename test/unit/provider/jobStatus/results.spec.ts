import assert from "node:assert/strict";

import type { Pod } from "../../../../provider/observe/pods/pod";
import type { Kept } from "../../../../provider/results/keep";
import { resultsOf } from "../../../../provider/jobStatus/results";
import type { Told } from "../../../../provider/results/list";
import { makeStatusInputs } from "../../support/states";

const SUM = "ab".repeat(32);
const FILE = { path: "b", bytes: 3, sha256: SUM };
const told = (state: Told["state"], more: Partial<Told> = {}): Told => ({
    state,
    exitCode: 0,
    count: 1,
    bytes: 3,
    until: 1764460800,
    sha256: SUM,
    files: [{ ...FILE, rank: 0 }],
    reasons: [],
    ...more,
});
const ended = (exitCode: number, results?: string) =>
    ({ rank: 0, terminated: { exitCode, marks: results === undefined ? {} : { results } } }) as unknown as Pod;
const kept = (more: Partial<Kept>): Kept => ({ mark: told("waits"), ...more });

const RUNS = { rank: 0 } as Pod;
const HOW = "npx flux-minicluster results lammps -n hpc fetches them until 2025-11-30T00:00:00Z";

const local = { at: "results/mc", isFetched: true, limit: 100, onFailure: false, ofAllRanks: false };
const volume = { ...local, at: "data:mc", isFetched: false };

const of = (keeps: typeof local | undefined, found: Partial<Parameters<typeof resultsOf>[1]>) =>
    resultsOf(makeStatusInputs({ keeps }), { lead: undefined, told: undefined, kept: undefined, ...found });
const brief = (...args: Parameters<typeof of>) => {
    const { at, complete, count, reason } = of(...args)!;
    return [at, count, complete, reason];
};

describe("the output of results", () => {
    it("is nothing without the argument, and null before the command's end", () => {
        assert.equal(of(undefined, { lead: ended(0), told: told("kept") }), undefined);
        assert.equal(of(local, {}), null);
    });

    it("has the files that this update has fetched, sorted by path", () => {
        const files = ["b", "a"].map((bytesOfPath) => ({ bytesOfPath, bytes: 3, sha256: SUM, rank: 0 }));
        assert.deepEqual(of(local, { kept: kept({ files }), lead: ended(0, "fetched"), told: told("waits") }), {
            at: "results/mc",
            files: [{ ...FILE, path: "a" }, FILE],
            count: 1,
            bytes: 3,
            complete: true,
        });
    });

    it("has the rank of each file if all ranks have some", () => {
        const results = of({ ...volume, ofAllRanks: true }, { lead: ended(0, "kept"), told: told("kept") });
        assert.deepEqual(results?.files, [{ ...FILE, rank: 0 }]);
    });

    for (const [what, keeps, found, expected] of [
        ["are in a volume", volume, { lead: ended(0, "kept"), told: told("kept") }, ["data:mc", 1, true, undefined]],
        [
            "are in a volume, but not all",
            volume,
            { lead: ended(0, "kept"), told: told("kept", { reasons: ["x can't be read", "nothing matches y"] }) },
            ["data:mc", 1, false, "x can't be read; nothing matches y"],
        ],
        [
            "match nothing",
            volume,
            { lead: ended(0, "kept"), told: told("kept", { count: 0, files: [], reasons: ["nothing matches y"] }) },
            ["", 0, false, "nothing matches y"],
        ],
        [
            "are lost on a full volume",
            volume,
            { lead: ended(0, "lost"), told: told("lost", { reasons: ["the pod could not copy them: full"] }) },
            ["", 1, false, "the pod could not copy them: full"],
        ],
        [
            "are left to the user",
            local,
            { kept: kept({ left: "they are large" }), told: told("waits") },
            ["", 1, false, `they are large; ${HOW}`],
        ],
        ["wait, and no update has heard of them", local, { lead: RUNS, told: told("waits") }, ["", 1, false, HOW]],
        [
            "were left to the user, and another client has fetched them",
            local,
            { kept: kept({ left: "they are large" }), lead: ended(3, "fetched"), told: told("waits") },
            ["", 1, false, "another client has fetched them, into results/mc if it was given no folder"],
        ],
        [
            "were left to the user, and nobody has fetched them",
            local,
            { kept: kept({ left: "they are large" }), lead: ended(0, "unfetched"), told: told("waits") },
            [
                "",
                1,
                false,
                "they are large; nobody has fetched them before the pods ended, so they are lost. Raise results.keepFor",
            ],
        ],
        [
            "were lost with a pod that was killed while it waited",
            local,
            { lead: ended(137, "waits"), told: told("waits") },
            ["", 1, false, "the lead's pod was killed while it waited for a client, so they are lost"],
        ],
        [
            "are in a volume, but their list can't be read",
            volume,
            { lead: ended(0, "kept") },
            ["data:mc", 0, false, "the lead's log, which has their names, can't be read"],
        ],
        [
            "were fetched by nobody",
            local,
            { lead: ended(0, "unfetched"), told: told("waits") },
            ["", 1, false, "nobody has fetched them before the pods ended, so they are lost. Raise results.keepFor"],
        ],
        [
            "are those of a failed command",
            local,
            { lead: ended(3) },
            [
                "",
                0,
                false,
                "the command has failed with exit code 3; results.onFailure keeps the results of such a command",
            ],
        ],
        ["are unknown", local, { lead: ended(0) }, ["", 0, false, "the lead has ended without a word about them"]],
    ] as [string, typeof local, Parameters<typeof of>[1], unknown[]][]) {
        it(`says it if they ${what}`, () => assert.deepEqual(brief(keeps, found), expected));
    }
});
