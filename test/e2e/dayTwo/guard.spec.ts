import assert from "node:assert/strict";

import * as kubernetes from "@pulumi/kubernetes";
import type { PreviewResult, UpResult } from "@pulumi/pulumi/automation";
import { MiniCluster, WaitFor } from "flux-minicluster";

import { LiveCluster } from "../support/liveCluster";
import { useNamespace } from "../support/namespace";
import { operations, type TestStack } from "../support/stack";

/* Orders of calls in which the engine deletes a Job that no check has judged. */
describe("MiniCluster with a running command", () => {
    const namespace = useNamespace();
    const live = new LiveCluster(namespace, "guarded");
    let text = "one";
    let isInProgram = true;

    let stack: TestStack;

    const urnOf = (name: string) => stack.resources().find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";
    const RUNS = /because its command has been running for \d+ (s|min)( \d+ s)? in 1 pods/;

    before(async () => {
        stack = namespace.stack("guarded", program);
        await stack.up();
        await namespace.untilCounted("guarded", 1);
    });

    async function program(): Promise<void> {
        // The Kubernetes provider deletes a ConfigMap with a name before it replaces it.
        const notes = new kubernetes.core.v1.ConfigMap("notes", { metadata: { name: "notes" }, data: { text } });
        if (isInProgram) {
            new MiniCluster("guarded", {
                image: namespace.image,
                command: ["sleep", "inf"],
                waitFor: WaitFor.Ready,
                volumes: [{ name: "notes", mountPath: "/notes", configMap: notes.metadata.name }],
            });
        }
    }

    it("runs on while a resource that it reads is deleted and created again", async () => {
        const pods = await live.podUids();
        text = "two";
        const { events } = await stack.up();
        assert.match(operations(events)["notes"] ?? "", /replace/);
        assert.deepEqual(await live.podUids(), pods);
        await stack.preview(true);
    });

    for (const verb of ["preview", "up"] as const) {
        it(`refuses in pulumi ${verb} that its lead Service is replaced, because that would delete the Job`, async () => {
            const pods = await live.podUids();
            const urn = urnOf("guarded-lead");
            const { text: printed } = await stack.fails(() =>
                stack.run<UpResult | PreviewResult>((of, onEvent, onOutput) =>
                    of[verb]({ onEvent, onOutput, replace: [urn] }),
                ),
            );
            assert.match(printed, /is not replaced together with its lead Service/);
            assert.match(printed, RUNS);
            assert.deepEqual(await live.podUids(), pods);
        });
    }

    it("refuses to be deleted when it leaves the program, and says what to do", async () => {
        const pods = await live.podUids();
        isInProgram = false;
        const { text: printed } = await stack.fails("up");
        assert.match(printed, /Job \S+\/guarded is not deleted,/);
        assert.match(printed, RUNS);
        assert.match(printed, /Its MiniCluster is not in the program any more/);
        assert.deepEqual(await live.podUids(), pods);
        isInProgram = true;
        await stack.up();
        await stack.preview(true);
        assert.deepEqual(await live.podUids(), pods);
    });

    it("is deleted by pulumi destroy", async () => {
        await stack.destroy();
        assert.deepEqual(stack.resources(), []);
        assert.equal(await live.liveJob(), undefined);
    });
});
