import assert from "node:assert/strict";

import fc from "fast-check";

import type { Meeting } from "./draw";
import { live, livedHistories, seedOf } from "./live";
import { Coverage } from "./support/fault";
import type { Wish } from "./support/wish";

/** The usual number of histories. Fewer can't meet every pair of verb and fault. More search for rare failures. */
const ENOUGH = 2000;
/** MODEL_HISTORIES=10000 is for a long run, MODEL_SEED=... repeats a run. */
const HISTORIES = Number(process.env["MODEL_HISTORIES"] ?? ENOUGH);
/** The default seed is fixed, so that every change of the code meets the same histories. */
const FIXED_SEED = 14;
const SEED = seedOf(process.env["MODEL_SEED"] ?? (HISTORIES > ENOUGH ? "random" : String(FIXED_SEED)));

/** What must happen in some of the histories; without it, they would show nothing about it. */
const HAPPENINGS = [
    "a persistent cluster was ended with permission, with running jobs",
    "a deleted key took a Service with it that is in no state",
    "a running FluxJob was ended with permission",
    "a running command was ended with permission",
    "destroy: refused, because the cluster is protected",
    "expired credentials were used",
    "jobs forbidden in up",
    "plan: a FluxJob runs",
    "plan: a FluxJob runs, in another cluster",
    "preview: refused, because a command runs",
    "preview: refused, because jobs run on the cluster",
    "services forbidden in up",
    "the lead Service is deleted first: diff of a FluxJob that runs",
    "the lead Service is deleted first: diff of a cluster that runs",
    "the user's resource is deleted first: diff of a FluxJob that runs",
    "the user's resource is deleted first: diff of a cluster that runs",
    "up: refused, because a command runs",
    "up: refused, because jobs run on the cluster",
    "up: the program has no cluster, and its command still runs",
    "up: with absent",
    "up: with protect",
    "up: renamed",
    "up: renamed, and its command still runs",
    "up: with twin",
    "version forbidden in up",
];

const PLAIN: Wish = { name: "one", image: "image:1", size: 2, interrupt: "refuse", suspend: false, elastic: false };

/** Meetings of a pair at each of the first requests. */
function tries(pair: Pick<Meeting, "kind" | "verb">): Meeting[] {
    return [0, 1, 2, 3, 4, 5, 6].map((request) => ({ ...pair, request }));
}

describe("provider in random histories", function () {
    this.timeout(0);

    it("keeps the invariants", async () => {
        const coverage = new Coverage();
        const lengths: number[] = [];
        const begun = process.cpuUsage().user;
        console.log(`      MODEL_HISTORIES=${HISTORIES} MODEL_SEED=${SEED}`);
        const property = livedHistories(coverage, lengths);
        await fc.assert(property, { numRuns: HISTORIES, seed: SEED });
        const median = lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)];
        for (const meeting of HISTORIES < ENOUGH ? [] : coverage.missing().flatMap(tries)) {
            // No random history has met this pair.
            await live(coverage, [PLAIN], meeting, []);
        }
        const seconds = ((process.cpuUsage().user - begun) / 1e6).toFixed(0);
        console.log(`      median of ${median} commands, ${seconds} s of a core\n${coverage.table()}`);
        console.log(coverage.happenings(HAPPENINGS));
        assert.ok(median >= 8, `the median history has only ${median} commands`);
        assert.deepEqual(
            HISTORIES < ENOUGH ? [] : coverage.missing(),
            [],
            "no history has met some pairs of verb and fault",
        );
        assert.deepEqual(
            HISTORIES < ENOUGH ? [] : HAPPENINGS.filter((what) => coverage.count(what) === 0),
            [],
            "some things have happened in no history",
        );
    });
});
