import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../scripts/local/paths";
import { makeClaim } from "../e2e/support/claim";
import { importPublicImage } from "../e2e/support/image";
import { useLanguage } from "../e2e/support/languages";
import { useNamespace } from "../e2e/support/namespace";
import { sharedCluster } from "../e2e/support/sharedCluster";

/** The table of the ensemble's page, which any Python prints: the seeds decide on it. */
const SUMMARY = `8 simulations           least     mean greatest  deviation
worst day                  22     23.6       26        1.4
infected on this day      315    363.2      392       25.8
days until the end         89    101.2      114        8.2
`;

/* The page of the sweep is in test/e2e/examples.spec.ts. */
describe("page of an example", function () {
    this.timeout(600_000);
    const namespace = useNamespace();
    let image: string;
    before(async () => (image = await importPublicImage((await sharedCluster()).cluster)));

    it("ensemble prints its table, and one of more simulations", async () => {
        const page = namespace.page("ensemble", image);
        assert.ok(page.text.includes(`\n${SUMMARY}`), "the page has another table");
        const [first, second] = await page.run();
        assert.ok(first?.endsWith(`${SUMMARY}\n`), first);
        assert.match(second ?? "", /^20 simulations +least/m);
        await namespace.assertNothingLeft();
    });

    it("interactive runs jobs from everywhere, sleeps, and wakes for a job", async () => {
        const removeClaim = await makeClaim(namespace, "queue");
        const [start, commands, shell, python, sleep] = await namespace.page("interactive", image).run();
        assert.match(start ?? "", /phase +: "ready"/);
        assert.match(commands ?? "", /^flux-0$/m);
        assert.match(commands ?? "", /^f\w+$/m);
        assert.equal(shell?.match(/ sleep +CD +1 /g)?.length, 3, shell);
        assert.match(python ?? "", /^\[True, True, True\]$/m);
        assert.match(sleep ?? "", /asleep[^]*^flux-0$/m);
        assert.match(sleep ?? "", /COMPLETED +.*sleep/);
        await namespace.assertNothingLeft((object) => !object.startsWith("PersistentVolumeClaim/"));
        await removeClaim();
    });
});

for (const language of ["python", "yaml"] as const) {
    describe(`example in ${language}`, function () {
        this.timeout(600_000);
        const namespace = useNamespace();
        const example = useLanguage(language);
        let image: string;
        before(async () => (image = await importPublicImage((await sharedCluster()).cluster)));

        it("sweep makes the picture of its page", async () => {
            const { outputs } = await namespace.stack("sweep", example("sweep"), { image }).up();
            assert.equal(outputs.simulated, 30);
            assert.equal(outputs.picture, readFileSync(join(root, "examples/sweep/bifurcation.svg"), "utf8"));
        });

        it("ensemble prints the table of its page", async () => {
            const { outputs } = await namespace.stack("ensemble", example("ensemble"), { image }).up();
            assert.equal(outputs.summary, SUMMARY);
        });
    });
}
