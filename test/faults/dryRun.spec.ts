import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { toolsDir } from "../../scripts/local/cluster/tools";
import { run } from "../../scripts/local/run";
import { goldenObjects } from "../golden/specs";
import { rightArgs } from "../unit/support/rightArgs";
import { useNamespace } from "../e2e/support/namespace";

/** The number of generated clusters, and of kubectl calls for all of them. */
const CLUSTERS = 200;
const CALLS = 10;

describe("API server", function () {
    this.timeout(600_000);
    const namespace = useNamespace();
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    const seed = Number(process.env.SEED ?? 7);

    after(() => rmSync(folder, { recursive: true }));

    it(`accepts the manifests of generated arguments in a dry run (SEED=${seed})`, async () => {
        const clusters = fc.sample(rightArgs, { numRuns: CLUSTERS, seed });
        for (let call = 0; call < CALLS; call++) {
            const some = clusters.filter((_, index) => index % CALLS === call);
            const items = some.flatMap((args, index) =>
                goldenObjects({ name: `generated-${index}`, args }, namespace.name),
            );
            const live = await dryRun(items);
            assert.deepEqual(live.map(kindAndName), items.map(kindAndName));
        }
    });

    const kindAndName = ({ kind, metadata }: any) => `${kind} ${metadata.name}`;

    /** The objects as the API server would store them. Unknown fields are errors. */
    async function dryRun(items: object[]): Promise<object[]> {
        const file = join(folder, "objects.json");
        writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
        const options = ["--dry-run=server", "--validate=strict", "--output=json", `--filename=${file}`];
        const printed = await run(join(toolsDir, "kubectl"), ["create", ...options]);
        // kubectl prints the objects one after the other, each in several lines.
        return printed
            .trim()
            .split(/(?<=^\})\n(?=\{)/m)
            .map((text) => JSON.parse(text) as object);
    }
});
