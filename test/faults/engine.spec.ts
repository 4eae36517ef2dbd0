import assert from "node:assert/strict";

import fc from "fast-check";

import { pulumiVersion } from "../../scripts/local/pieces";
import { histories } from "../model/support/history";
import { firstNoticing, MUTATIONS, type Recorded } from "../model/support/mutations";
import { writeRecorded } from "../model/support/recorded";
import { type History, isBroken, Replay, type Trace } from "../model/support/replay";
import { rulesOf } from "../model/support/rules";
import { ENGINES, engineProgram, runHistories } from "./support/realEngine";

/** ENGINE_PROGRAMS=100 runs fewer programs, ENGINE_SEED=7 others. ENGINE_RECORD=1 renews test/model/recorded. */
const PROGRAMS = Number(process.env["ENGINE_PROGRAMS"] ?? 1000);
const SEED = Number(process.env["ENGINE_SEED"] ?? 33);
const OURS = pulumiVersion;
/** Recorded histories of each version. */
const RECORDED = 100;

describe("model of Pulumi's engine, compared with the real one", function () {
    this.timeout(0);
    const drawn = fc.sample(histories, { numRuns: PROGRAMS, seed: SEED });
    const rows: Record<string, number | string>[] = [];
    const runs = new Map<string, Recorded[]>();

    for (const version of Object.keys(ENGINES)) {
        it(`makes the same calls in ${PROGRAMS} programs as version ${version}, and leaves the same states`, async () => {
            const begun = Date.now();
            const traces = await runHistories(await engineProgram(version), drawn);
            const seconds = Math.round((Date.now() - begun) / 1000);
            runs.set(
                version,
                drawn.map((history, index) => ({ history, traces: traces[index] })),
            );
            const differences = await differencesOf(drawn, traces, version);
            rows.push({ version, ...countsOf(traces), differences: differences.length, seconds });
            assert.deepEqual(differences.slice(0, 3), []);
        });
    }

    for (const [rule, mutation] of Object.entries(MUTATIONS)) {
        it(`is noticed without the rule that ${rule}`, async () => {
            const index = await firstNoticing(runs.get(OURS)!, OURS, mutation);
            assert.notEqual(index, undefined, `none of ${PROGRAMS} programs shows that the rule is missing`);
            console.log(`        program ${index}`);
        });
    }

    after(async () => {
        const ours = runs.get(OURS) ?? [];
        for (const row of rows) {
            const others = runs.get(row["version"] as string) ?? [];
            row["unlike ours"] = others.filter(({ traces }, index) => isUnlike(traces, ours[index].traces)).length;
        }
        console.table(rows);
        if (process.env["ENGINE_RECORD"] === "1") {
            for (const [version, all] of runs) {
                writeRecorded(version, await selection(version, all, ours));
            }
        }
    });
});

async function differencesOf(all: readonly History[], traces: readonly Trace[][], version: string): Promise<string[]> {
    const differences: string[] = [];
    for (const [index, history] of all.entries()) {
        const difference = await new Replay(rulesOf(version)).compare(history, traces[index]);
        if (difference !== undefined) {
            differences.push(`program ${index}, operation ${difference.operation}: ${difference.text}`);
        }
    }
    return differences;
}

function countsOf(traces: readonly Trace[][]): Record<string, number> {
    const all = traces.flat();
    return {
        programs: traces.length,
        operations: all.length,
        calls: all.reduce((sum, { calls }) => sum + calls.length, 0),
        "broken states": all.filter(isBroken).length,
        panics: traces.filter(({ length }) => length === 0).length,
    };
}

/** Whether two versions made other calls, apart from orders that are decided by chance. */
function isUnlike(a: readonly Trace[], b: readonly Trace[]): boolean {
    const callsOf = (traces: readonly Trace[]) =>
        JSON.stringify(traces.map(({ calls }) => calls.map(({ id, key, verb }) => [verb, key, id].join()).sort()));
    return callsOf(a) !== callsOf(b);
}

/** Histories that show each missing rule and each difference between versions, and others. */
async function selection(version: string, all: readonly Recorded[], ours: readonly Recorded[]): Promise<Recorded[]> {
    const whole = [...all.keys()].filter((index) => all[index].traces.length > 0);
    const chosen = new Set<number>();
    for (const mutation of Object.values(MUTATIONS)) {
        chosen.add((await firstNoticing(all, version, mutation)) ?? 0);
    }
    whole
        .filter((index) => isUnlike(all[index].traces, ours[index].traces))
        .slice(0, RECORDED / 5)
        .forEach((index) => chosen.add(index));
    whole.forEach((index) => chosen.size < RECORDED && chosen.add(index));
    return [...chosen].map((index) => all[index]);
}
