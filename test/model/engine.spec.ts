import assert from "node:assert/strict";

import { pulumiVersion } from "../../scripts/local/pieces";
import { firstNoticing, MUTATIONS } from "./support/mutations";
import { readRecorded } from "./support/recorded";
import { Replay } from "./support/replay";
import { rulesOf } from "./support/rules";

/** The versions of Pulumi whose runs are recorded. `make test-faults PART=engine` runs many more. */
const VERSIONS = ["3.216.0", "3.259.0", pulumiVersion];

describe("model of Pulumi's engine", function () {
    this.timeout(60_000);

    for (const version of VERSIONS) {
        it(`makes the recorded calls of version ${version}, and leaves the same states`, async () => {
            const differences: string[] = [];
            const recorded = readRecorded(version);
            for (const [index, { history, traces }] of recorded.entries()) {
                const difference = await new Replay(rulesOf(version)).compare(history, traces);
                if (difference !== undefined) {
                    differences.push(`history ${index}, operation ${difference.operation}: ${difference.text}`);
                }
            }
            assert.ok(recorded.length >= 100);
            assert.deepEqual(differences, []);
        });
    }

    for (const [rule, mutation] of Object.entries(MUTATIONS)) {
        it(`differs from the recorded runs without the rule that ${rule}`, async () => {
            assert.notEqual(await firstNoticing(readRecorded(pulumiVersion), pulumiVersion, mutation), undefined);
        });
    }
});
