import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { toolsDir } from "../../scripts/local/cluster/tools";
import { run } from "../../scripts/local/run";
import { liveManifest } from "../../provider/indexedJob/drift";
import { GOLDEN_SPECS, goldenObjects } from "../golden/specs";
import { useNamespace } from "./support/namespace";

describe("golden manifest", () => {
    const namespace = useNamespace();
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));

    after(() => rmSync(folder, { recursive: true }));

    for (const golden of GOLDEN_SPECS) {
        it(`${golden.name} passes a dry run of the API server unchanged`, async () => {
            for (const object of goldenObjects(golden, namespace.name)) {
                const live = await dryRun(object);
                if (object.kind !== "Job") {
                    assert.partialDeepStrictEqual(live, object);
                    continue;
                }
                // As a refresh reads the Job, but without its labels: with a queue's label, a refresh ignores pod
                // fields.
                const { labels, ...metadata } = object.metadata;
                const unqueued = { ...object, metadata };
                assert.deepEqual(liveManifest(unqueued, live), unqueued);
                assert.deepEqual(live.metadata.labels, labels);
            }
        });
    }

    /** The object as the API server would store it. Unknown fields are errors. */
    async function dryRun(object: object): Promise<any> {
        const file = join(folder, "object.json");
        writeFileSync(file, JSON.stringify(object));
        const options = ["--dry-run=server", "--validate=strict", "--output=json", `--filename=${file}`];
        return JSON.parse(await run(join(toolsDir, "kubectl"), ["create", ...options]));
    }
});
