import assert from "node:assert/strict";

import { ChangingCluster } from "../e2e/support/changing";
import { type Point, to, useFaultProxy } from "../e2e/support/faultProxy";
import { type Interruption, INTERRUPTIONS, interruptAt, outcome, recover } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";

/** A request by which one can tell that a command is at this step, and whether it is stopped before or after it is done. */
type Step = readonly [what: string, method: string, ending: (name: string) => string, point: Point];

const steps = {
    create: [
        ["before rank 0's Service is made", "PATCH", (name) => `services/${name}-lead`, "request"],
        ["when rank 0's Service is made", "PATCH", (name) => `services/${name}-lead`, "answer"],
        ["before the Secret is made", "PATCH", (name) => `secrets/${name}-secret`, "request"],
        ["when the Secret is made", "PATCH", (name) => `secrets/${name}-secret`, "answer"],
        ["when the ConfigMap is made", "PATCH", (name) => `configmaps/${name}-config-*`, "answer"],
        ["before the Job is made", "POST", () => "jobs", "request"],
        ["when the Job is made", "POST", () => "jobs", "answer"],
        ["while it waits", "WATCH", () => "pods", "request"],
    ],
    update: [
        ["before the Job is patched", "PATCH", (name) => `jobs/${name}`, "request"],
        ["when the Job is patched", "PATCH", (name) => `jobs/${name}`, "answer"],
        ["while it waits", "WATCH", () => "pods", "request"],
    ],
    replace: [
        ["before the new ConfigMap is made", "PATCH", (name) => `configmaps/${name}-config-*`, "request"],
        ["when the new ConfigMap is made", "PATCH", (name) => `configmaps/${name}-config-*`, "answer"],
        ["before the old Job is deleted", "DELETE", (name) => `jobs/${name}`, "request"],
        ["when the old Job is told to go", "DELETE", (name) => `jobs/${name}`, "answer"],
        ["while the old pods end", "WATCH", () => "jobs", "request"],
        ["before the new Job is made", "POST", () => "jobs", "request"],
        ["when the new Job is made", "POST", () => "jobs", "answer"],
        ["while it waits", "WATCH", () => "pods", "request"],
        ["before the old ConfigMap is deleted", "DELETE", (name) => `configmaps/${name}-config-*`, "request"],
    ],
    delete: [
        ["before the Job is deleted", "DELETE", (name) => `jobs/${name}`, "request"],
        ["when the Job is told to go", "DELETE", (name) => `jobs/${name}`, "answer"],
        ["while the pods end", "WATCH", () => "jobs", "request"],
        ["when the ConfigMap is deleted", "DELETE", (name) => `configmaps/${name}-config-*`, "answer"],
        ["before the Secret is deleted", "DELETE", (name) => `secrets/${name}-secret`, "request"],
        ["when rank 0's Service is deleted", "DELETE", (name) => `services/${name}-lead`, "answer"],
    ],
} as const satisfies Record<string, readonly Step[]>;

for (const interruption of Object.keys(INTERRUPTIONS) as Interruption[]) {
    describe(interruption, () => {
        const namespace = useNamespace();
        const proxy = useFaultProxy(namespace);
        let count = 0;

        for (const step of steps.create) {
            it(`in a create, ${step[0]}`, async () => {
                const cluster = open();
                await interrupt(cluster, step, "up");
                await settles(cluster);
            });
        }

        it("in a create, when the Job is made, and then other arguments: the Job is made anew and not adopted", async () => {
            const cluster = open();
            await interrupt(cluster, ["when the Job is made", "POST", () => "jobs", "answer"], "up");
            const uid = await cluster.uid();
            cluster.set({ environment: { CHANGED: "yes" } });
            await settles(cluster);
            assert.notEqual(await cluster.uid(), uid);
        });

        describe("in an update,", () => {
            let cluster: ChangingCluster;
            let uid: string | undefined;

            before(async () => {
                cluster = open();
                await cluster.stack.up();
                uid = await cluster.uid();
            });

            for (const [index, step] of steps.update.entries()) {
                it(step[0], async () => {
                    cluster.set({ size: 2 - (index % 2) });
                    await interrupt(cluster, step, "up");
                    await settles(cluster);
                    assert.equal(await cluster.uid(), uid);
                });
            }
        });

        describe("in a replacement,", () => {
            let cluster: ChangingCluster;

            before(async () => {
                cluster = open();
                await cluster.stack.up();
            });

            for (const [index, step] of steps.replace.entries()) {
                it(step[0], async () => {
                    const uid = await cluster.uid();
                    cluster.set({ broker: { connectTimeout: `${3 + index}s` } });
                    await interrupt(cluster, step, "up");
                    await settles(cluster);
                    assert.notEqual(await cluster.uid(), uid);
                });
            }
        });

        for (const step of steps.delete) {
            it(`in a destroy, ${step[0]}`, async () => {
                const cluster = open();
                await cluster.stack.up();
                await interrupt(cluster, step, "destroy");
                const { succeeded, text } = await recover(cluster.stack, "destroy");
                assert(succeeded, text);
                assert.deepEqual(cluster.stack.resources(), []);
                await namespace.assertNothingLeft((object) => isOf(cluster, object));
            });
        }

        function open(): ChangingCluster {
            count++;
            return new ChangingCluster(namespace, `c${count}`, { size: 1, maxSize: 2 });
        }

        async function interrupt(cluster: ChangingCluster, [, method, ending, point]: Step, verb: "destroy" | "up"): Promise<void> {
            const hold = proxy().hold(to(method, ending(cluster.name)), point);
            await interruptAt(cluster.stack, verb, hold, interruption);
        }

        /** The next update succeeds, the cluster is what was asked for, and there is one of everything. */
        async function settles(cluster: ChangingCluster): Promise<void> {
            const { succeeded, text } = await recover(cluster.stack, "up");
            assert(succeeded, text);
            await cluster.assertSettled();
            const { size = 1 } = cluster.args;
            assert.equal((await cluster.nodes()).free, size);
            const kinds = (await objectsOf(cluster)).map((object) => object.split("/")[0]).filter((kind) => !kind.startsWith("Endpoint"));
            const pods = Array.from({ length: Number(size) }, () => "Pod");
            assert.deepEqual(kinds.sort(), ["ConfigMap", "Job", ...pods, "Secret", "Service", "Service"]);
        }

        async function objectsOf(cluster: ChangingCluster): Promise<string[]> {
            return (await namespace.objects()).filter((object) => isOf(cluster, object));
        }

        function isOf({ name }: ChangingCluster, object: string): boolean {
            return new RegExp(`/${name}(-|$)`).test(object);
        }
    });
}

describe("the lock that a killed CLI leaves", () => {
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);

    it("is named by the next update, and pulumi cancel takes it away", async () => {
        const cluster = new ChangingCluster(namespace, "locked", {});
        await interruptAt(cluster.stack, "up", proxy().hold(to("WATCH", "pods")), "kill -9 of the CLI");
        const uid = await cluster.uid();
        assert.match((await outcome(cluster.stack, "up")).text, /currently locked/);
        const { succeeded, text } = await recover(cluster.stack, "up");
        assert(succeeded, text);
        assert.equal(await cluster.uid(), uid);
        await cluster.assertSettled();
    });
});
