import assert from "node:assert/strict";

import { ChangingCluster } from "../support/changing";
import { type Selector, to, useFaultProxy } from "../support/faultProxy";
import { interruptAt, recover } from "../support/interruptions";
import { useNamespace } from "../support/namespace";
import { until } from "../support/until";

/** The creation of the lead Service, with each version of the Kubernetes provider. */
const TO_SERVICE: Selector = ({ method, path }) =>
    (method === "PATCH" && /\/services\/[^/?]+-lead(\?|$)/.test(path)) ||
    (method === "POST" && /\/services(\?|$)/.test(path));

/* The cases of every test run. The whole matrix is in test/faults/interruption.spec.ts. */
describe("MiniCluster", () => {
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);
    let cluster: ChangingCluster;

    describe("interrupted during create", () => {
        let uid: string | undefined;

        it("keeps the Job and ends at SIGINT, and resumes the wait in the next update", async () => {
            cluster = open("waits");
            const watch = proxy().hold(to("WATCH", "pods"));
            // The watch gets no answer before the command ends: without SIGINT, the wait would last timeouts.ready.
            const step = { ...watch, release: () => undefined };
            const { succeeded, text } = await interruptAt(cluster.stack, "up", step, "SIGINT once");
            watch.release();
            assert.equal(succeeded, false);
            assert.match(
                text,
                /The wait for waits was interrupted \(phase: \w+\)\. The next update resumes the wait\./,
            );
            uid = await cluster.uid();
            const { changes } = await cluster.preview();
            assert.deepEqual(changes, { "waits-status": "update" });
            await resumed();
        });

        it("adopts a Job that kill -9 kept out of the state in the next update", async () => {
            cluster = open("unknown");
            await interruptAt(cluster.stack, "up", proxy().hold(to("POST", "jobs"), "answer"), "kill -9 of both");
            assert.equal(cluster.child("job"), undefined);
            uid = await cluster.uid();
            await resumed();
        });

        it("leaves nothing in a destroy after kill -9 kept the Job out of the state", async () => {
            cluster = open("orphan");
            await interruptAt(cluster.stack, "up", proxy().hold(to("POST", "jobs"), "answer"), "kill -9 of both");
            assert.equal((await recover(cluster.stack, "destroy")).succeeded, true);
            await until(
                "Kubernetes has removed what the Service owned",
                async () => !(await namespace.objects()).some(isOurs) || undefined,
            );
            await nothingIsLeft();
        });

        it("creates a Service again that kill -9 kept out of the state", async () => {
            // The program runs in this process, which has no KUBECONFIG.
            cluster = open("lost", { kubeconfig: proxy().kubeconfig });
            await interruptAt(cluster.stack, "up", proxy().hold(TO_SERVICE, "answer"), "kill -9 of both");
            const left = await serviceUid();
            assert.equal(cluster.child("lead"), undefined);
            const { succeeded, text } = await recover(cluster.stack, "up");
            assert(succeeded, text);
            assert.notEqual(await serviceUid(), left);
            await cluster.assertSettled();
        });

        it("leaves nothing in a destroy after kill -9 kept a Service out of the state", async () => {
            cluster = open("stray");
            await interruptAt(cluster.stack, "up", proxy().hold(TO_SERVICE, "answer"), "kill -9 of both");
            assert.equal((await recover(cluster.stack, "destroy")).succeeded, true);
            await nothingIsLeft();
        });

        async function resumed(): Promise<void> {
            const { succeeded, text } = await recover(cluster.stack, "up");
            assert(succeeded, text);
            assert.equal(await cluster.uid(), uid);
            await cluster.assertSettled();
        }
    });

    describe("interrupted by kill -9", () => {
        before(async () => {
            cluster = open("changes");
            await cluster.stack.up();
        });

        it("creates the missing Job of a replacement in the next update", async () => {
            const uid = await cluster.uid();
            cluster.set({ broker: { connectTimeout: 3 } });
            await interruptAt(cluster.stack, "up", proxy().hold(to("POST", "jobs")), "kill -9 of both");
            assert.equal((await recover(cluster.stack, "up")).succeeded, true);
            assert.notEqual(await cluster.uid(), uid);
            assert.deepEqual(await cluster.nodes(), { down: 1, free: 1 });
            await cluster.assertSettled();
        });

        it("leaves nothing in the next destroy if its pods were ending", async () => {
            await interruptAt(cluster.stack, "destroy", proxy().hold(to("WATCH", "jobs")), "kill -9 of both");
            assert.equal((await recover(cluster.stack, "destroy")).succeeded, true);
            await nothingIsLeft();
        });
    });

    async function serviceUid(): Promise<string | undefined> {
        const { core } = namespace.kube;
        const name = `${cluster.name}-lead`;
        return (await core.readNamespacedService({ namespace: namespace.name, name })).metadata?.uid;
    }

    function open(name: string, args: ChangingCluster["args"] = {}): ChangingCluster {
        return new ChangingCluster(namespace, name, { size: 1, maxSize: 2, ...args });
    }

    function isOurs(object: string): boolean {
        return object.includes(`/${cluster.name}`);
    }

    async function nothingIsLeft(): Promise<void> {
        await namespace.assertNothingLeft(isOurs);
        assert.deepEqual(cluster.stack.resources(), []);
    }
});
