import assert from "node:assert/strict";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { changes } from "../e2e/support/changing";
import { nth, to, useFaultProxy } from "../e2e/support/faultProxy";
import { interruptAt, outcome, recover } from "../e2e/support/interruptions";
import { jobsOf } from "../e2e/support/jobsOf";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

describe("array of a FluxJob, interrupted between two parts of its submission", () => {
    const namespace = useNamespace();
    let cluster: any;

    before(async () => {
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        cluster = (await stack.up()).outputs.cluster;
    });

    const count = 1500;
    const proxy = useFaultProxy(namespace);
    const jobs = (name: string) => jobsOf(namespace, "flux", name);

    /** Held jobs: nothing runs, so that only submission and removal count. */
    const openLarge = (name: string) =>
        namespace.stack(name, async () => ({
            job: new FluxJob(name, { cluster, array: { count }, command: ["true"], urgency: 0, wait: false }),
        }));

    const secondPart = () => proxy().hold(nth(to("EXEC", "pods/flux-0-*/exec"), 2));

    it("is resumed with only the missing elements after kill -9, and cancelled by a destroy", async () => {
        const stack = openLarge("killed");
        await interruptAt(stack, "up", secondPart(), "kill -9 of both");
        const begun = await jobs("killed");
        assert.equal(begun.length, 1000);
        const { succeeded, text } = await recover(stack, "up");
        assert(succeeded, text);
        const all = await jobs("killed");
        assert.equal(all.length, count);
        assert.deepEqual(
            all.filter((id) => begun.includes(id)),
            begun,
        );
        const outputs = stack.resources().find(({ urn }) => urn.endsWith("killed-submission"))?.outputs;
        assert.deepEqual([outputs?.elements.submitted, outputs?.phase, outputs?.jobIds], [count, "pending", []]);
        await stack.destroy();
        assert.deepEqual(await jobs("killed"), []);
    });

    it("is in the state after Ctrl-C, so that the next update resumes it and a destroy cancels it", async () => {
        const stack = openLarge("stopped");
        const part = secondPart();
        // The second part gets no answer before the command ends: else it would end in time.
        const { text } = await interruptAt(stack, "up", { ...part, release: () => undefined }, "SIGINT once");
        part.release();
        const why = "the submission was interrupted; 1,000 of 1,500 elements are submitted";
        assert.match(
            text,
            new RegExp(`array stopped of .* is not complete: ${why}\\. The next update submits the others`),
        );
        const { events } = await stack.preview();
        assert.match(changes(events)["stopped-submission"], /update/);
        const begun = await jobs("stopped");
        assert.equal(begun.length, 1000);
        await stack.destroy();
        assert.deepEqual(await jobs("stopped"), []);
    });

    it("is submitted whole if the lead and its queue are lost there", async () => {
        const stack = openLarge("restarted");
        const part = secondPart();
        const ending = outcome(stack, "up");
        await part.seen;
        const leads = async () => {
            const names = (await namespace.pods("flux")).map(({ metadata }) => metadata?.name ?? "");
            return names.filter((name) => name.startsWith("flux-0-"));
        };
        const [name] = await leads();
        await namespace.kube.core.deleteNamespacedPod({
            name,
            namespace: namespace.name,
            gracePeriodSeconds: 0,
        });
        // Otherwise the killed lead might still take the rest.
        await until("the killed lead is gone", async () => !(await leads()).includes(name) || undefined);
        part.release();
        const { succeeded, text } = await ending;
        assert(succeeded, text);
        assert.equal((await jobs("restarted")).length, count);
        await stack.destroy();
    });
});
