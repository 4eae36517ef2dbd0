import assert from "node:assert/strict";

import fc from "fast-check";

import { pulumiVersion } from "../../scripts/local/pieces";
import { toolchain } from "../../scripts/local/toolchain";
import { histories } from "../model/support/history";
import { type History, Replay } from "../model/support/replay";
import { rulesOf } from "../model/support/rules";
import { engineProgram, runHistories } from "./support/realEngine";

/** ENGINE_PROGRAMS=10 runs fewer programs, ENGINE_SEED=7 others. */
const PROGRAMS = Number(process.env["ENGINE_PROGRAMS"] ?? 50);
const SEED = Number(process.env["ENGINE_SEED"] ?? 33);
const VERSION = pulumiVersion;
/** The kills are chosen from so many programs, and stand for two thirds of the run. */
const DRAWN = 1000;

describe("model of Pulumi's engine, compared with the command line", function () {
    this.timeout(0);

    it(`makes the same calls in ${PROGRAMS} programs, and leaves the same states after kill -9`, async () => {
        const drawn = fc.sample(histories, { numRuns: DRAWN, seed: SEED });
        const killed = drawn.filter(isKilled).slice(0, Math.ceil((PROGRAMS * 2) / 3));
        const chosen = [...killed, ...drawn.filter((history) => !isKilled(history)).slice(0, PROGRAMS - killed.length)];
        const traces = await runHistories(await engineProgram(VERSION), chosen, await toolchain());
        const differences: string[] = [];
        for (const [index, history] of chosen.entries()) {
            const difference = await new Replay(rulesOf(VERSION)).compare(history, traces[index]);
            if (difference !== undefined) {
                differences.push(`program ${index}, operation ${difference.operation}: ${difference.text}`);
            }
        }
        const kills = traces.flat().filter(({ error = "" }) => error.includes("killed")).length;
        console.table([
            {
                programs: traces.length,
                operations: traces.flat().length,
                calls: traces.flat().reduce((sum, { calls }) => sum + calls.length, 0),
                kills,
                differences: differences.length,
            },
        ]);
        assert.ok(kills > 0);
        assert.deepEqual(differences, []);
    });
});

function isKilled({ operations }: History): boolean {
    return operations.some(({ faults = [] }) => faults.some(({ at, kind }) => kind.startsWith("kill") && at < 8));
}
