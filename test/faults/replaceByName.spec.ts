import assert from "node:assert/strict";

import { Interrupt, WaitFor } from "flux-minicluster";

import { ChangingCluster } from "../e2e/support/changing";
import { useNamespace } from "../e2e/support/namespace";
import type { Result, TestStack } from "../e2e/support/stack";

/** The ways in which a user replaces a resource by its name. */
const BY_NAME: readonly [way: string, replace: (stack: TestStack, urn: string) => Promise<Result>][] = [
    ["--replace", (stack, urn) => stack.replace(urn)],
    ["--target-replace", (stack, urn) => stack.replace(urn, true)],
    [
        "pulumi state taint",
        async (stack, urn) => {
            await stack.mark("taint", urn);
            return stack.up();
        },
    ],
];

describe("MiniCluster whose Job the user replaces by name", () => {
    const namespace = useNamespace();
    let idle: ChangingCluster;
    let busy: ChangingCluster;

    before(async () => {
        idle = new ChangingCluster(namespace, "idle", {});
        busy = new ChangingCluster(namespace, "busy", { command: ["sleep", "inf"], waitFor: WaitFor.Ready });
        await idle.stack.up();
        await busy.stack.up();
        await namespace.untilCounted("busy", 1);
    });

    for (const [way, replace] of BY_NAME) {
        it(`recreates its idle Job by ${way}`, async () => {
            const [before, urn] = [await idle.uid(), idle.child("job")?.urn ?? ""];
            await replace(idle.stack, urn);
            assert.notEqual(await idle.uid(), before);
            if (way === "--target-replace") {
                // --target-replace leaves the status to the next update, and only the status waits for the ranks.
                await idle.stack.up();
            }
            assert.deepEqual(await idle.nodes(), { free: 1 });
            await idle.assertSettled();
        });

        it(`refuses a replacement by ${way} during its command`, async () => {
            const [pods, urn] = [await busy.podUids(), busy.child("job")?.urn ?? ""];
            const { text } = await busy.stack.fails(() => replace(busy.stack, urn));
            assert.match(
                text,
                /Job \S+\/busy is not replaced, because its command has been running for \d+ (s|min) in 1 pods/,
            );
            assert.deepEqual(await busy.podUids(), pods);
            await busy.stack.mark("untaint", urn).catch(() => undefined);
        });
    }

    it("shows no changes after the refused replacements", () => busy.assertSettled());

    it("recreates its Job while its command runs if interrupt is allow", async () => {
        const [before, urn] = [await busy.uid(), busy.child("job")?.urn ?? ""];
        busy.set({ interrupt: Interrupt.Allow });
        await busy.stack.replace(urn);
        assert.notEqual(await busy.uid(), before);
        await busy.assertSettled();
    });
});
