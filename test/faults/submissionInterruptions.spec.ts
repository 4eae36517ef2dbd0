import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { checkpointPath } from "../e2e/support/emptyStack";
import { Random } from "../double/support/random";
import {
    endLeftovers,
    INTERRUPTIONS,
    type Interruption,
    outcome,
    recover,
    runningPulumi,
} from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const ROUNDS = Number(process.env["SUBMISSION_INTERRUPTIONS"] ?? 20);
const SEED = Number(process.env["SUBMISSION_SEED"] ?? 1);
/** Elements of an array: more than one part of a submission. */
const ELEMENTS = 1200;
/** Milliseconds in which an update has submitted its job, also on a busy machine. */
const SUBMISSION = 3000;

describe("submissions that are interrupted at random moments", function () {
    this.timeout(0);
    const namespace = useNamespace();

    it(`leave no job after the next destroy (${ROUNDS} of seed ${SEED})`, async () => {
        const clusters = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, restful: { enabled: false } }),
        }));
        const { cluster } = (await clusters.up()).outputs as any;
        const random = new Random(SEED);
        const kinds = Object.keys(INTERRUPTIONS) as Interruption[];
        const idsOf = async (name: string) =>
            (await namespace.exec("flux", ["flux", "jobs", "-a", "-no", "{id.f58plain}", `--name=${name}`]))
                .split("\n")
                .filter(Boolean);
        const seen = { without: 0, known: 0, orphaned: 0 };
        for (let round = 0; round < ROUNDS; round++) {
            const name = `job-${round}`;
            // Every second one is an array, whose elements are submitted in another way.
            const array = round % 2 === 1 ? { count: ELEMENTS } : undefined;
            const stack = namespace.stack(name, async () => ({
                job: new FluxJob(name, { cluster, command: ["sleep", "10000"], array }),
            }));
            const has = (part: string) =>
                existsSync(checkpointPath(stack.backend, name)) &&
                stack.resources().some(({ urn }) => urn.endsWith(`::${name}-${part}`));
            const ending = outcome(stack, "up");
            await until("the state has the ticket", async () => has("ticket") || undefined);
            await setTimeout(random.below(SUBMISSION));
            await INTERRUPTIONS[kinds[random.below(kinds.length)]](await runningPulumi(stack), stack);
            await ending;
            await endLeftovers(stack);
            const before = await idsOf(name);
            assert(before.length <= (array?.count ?? 1), `${before.length} jobs were submitted`);
            seen[before.length === 0 ? "without" : has("submission") ? "known" : "orphaned"]++;
            const { succeeded, text } = await recover(stack, "destroy");
            assert(succeeded, text);
            assert.deepEqual(await idsOf(name), [], `round ${round}`);
        }
        console.log(`      ${JSON.stringify(seen)}`);
    });
});
