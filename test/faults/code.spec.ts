import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Random } from "../double/support/random";
import { ChangingCluster } from "../e2e/support/changing";
import { type ApiRequest, useFaultProxy } from "../e2e/support/faultProxy";
import {
    endLeftovers,
    INTERRUPTIONS,
    type Interruption,
    interruptIfAt,
    recover,
    unlock,
} from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const ROUNDS = Number(process.env["CODE_INTERRUPTIONS"] ?? 10);
const SEED = Number(process.env["CODE_SEED"] ?? 1);
/** One of the first requests that change something is met: a create and a replacement have about as many. */
const WRITES = 10;

describe("code whose updates are interrupted at random requests", function () {
    this.timeout(0);
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);
    let source: string;

    before(() => {
        source = mkdtempSync(join(tmpdir(), "code-"));
        writeFileSync(join(source, "data.bin"), randomBytes(2_400_000));
    });
    after(() => rmSync(source, { recursive: true, force: true }));

    const parts = async () => (await namespace.objects()).filter((object) => object.includes("-code-"));
    const edit = (word: string) => writeFileSync(join(source, "word.txt"), `${word}\n`);

    /** Interrupts an update or a destroy at one of its requests. True if it had such a request. */
    async function interruptOnce({ stack }: ChangingCluster, random: Random): Promise<boolean> {
        let writes = random.below(WRITES);
        const selects = ({ method }: ApiRequest) => method !== "GET" && writes-- === 0;
        const step = proxy().hold(selects, random.of(["request", "answer"]));
        const verb = random.below(4) === 0 ? "destroy" : "up";
        const kind = random.of(Object.keys(INTERRUPTIONS) as Interruption[]);
        const { reached } = await interruptIfAt(stack, verb, step, kind);
        await endLeftovers(stack);
        await unlock(stack);
        return reached;
    }

    /** Requires that the cluster has run with the folder as it is, and has its parts only. */
    async function assertRan(cluster: ChangingCluster, word: string): Promise<void> {
        const code = cluster.child("job")?.inputs?.["code"] as { hash: string; parts: number };
        const names = Array.from({ length: code.parts }, (_, index) => `${code.hash.slice(0, 10)}-00${index}`);
        assert.deepEqual(
            await parts(),
            names.map((name) => `ConfigMap/edited-code-${name}`),
        );
        assert.equal(cluster.child("status")?.outputs?.["output"], `${word}\n2400000\n`);
    }

    it(`leaves no part of another code, and none after a destroy (${ROUNDS} of seed ${SEED})`, async () => {
        const random = new Random(SEED);
        const command = ["bash", "-c", "cat word.txt; wc -c < data.bin"];
        const cluster = new ChangingCluster(namespace, "edited", { code: { source }, command, interrupt: "allow" });
        const seen = { interrupted: 0, left: 0 };
        for (let round = 0; round < ROUNDS; round++) {
            edit(`interrupted ${round}`);
            const before = await parts();
            const isInterrupted = await interruptOnce(cluster, random);
            seen.interrupted += isInterrupted ? 1 : 0;
            seen.left += isInterrupted && (await parts()).some((part) => !before.includes(part)) ? 1 : 0;
            edit(`whole ${round}`);
            const verb = random.below(3) === 0 ? "destroy" : "up";
            const { succeeded, text } = await recover(cluster.stack, verb, 2);
            assert(succeeded, `round ${round}: ${text}`);
            if (verb === "destroy") {
                await until("no part is left", async () => (await parts()).length === 0 || undefined);
            } else {
                await assertRan(cluster, `whole ${round}`);
            }
        }
        console.log(`      ${JSON.stringify(seen)}`);
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
        // A single round may end before its request, or before there are new parts.
        if (ROUNDS >= 10) {
            assert(
                seen.interrupted > 0 && seen.left > 0,
                "no round was interrupted, or none left parts of its own code",
            );
        }
    });
});
