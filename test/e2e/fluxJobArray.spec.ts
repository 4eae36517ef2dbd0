import assert from "node:assert/strict";

import { FluxJob, type FluxJobArgs, MiniCluster } from "flux-minicluster";

import { changes } from "./support/changing";
import { nth, to, useFaultProxy } from "./support/faultProxy";
import { interruptAt, outcome, recover } from "./support/interruptions";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

type Args = Partial<Omit<FluxJobArgs, "cluster">> & Pick<FluxJobArgs, "command">;

describe("array of a FluxJob", () => {
    const namespace = useNamespace();
    let cluster: any;

    before(async () => {
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        cluster = (await stack.up()).outputs.cluster;
    });

    const open = (name: string, args: Args) =>
        namespace.stack(name, async () => ({ job: new FluxJob(name, { cluster, ...args }) }));

    /** One line for each job of a name, the oldest first. */
    async function jobs(name: string, format = "{id.f58plain}", filter = ["-a"]): Promise<string[]> {
        const words = ["flux", "jobs", ...filter, "--count=0", "-no", format, `--name=${name}`];
        const lines = (await namespace.exec("flux", words)).trim().split("\n");
        return lines.filter((line) => line !== "").reverse();
    }

    it("names the element that fails, and runs only that element again", async () => {
        const text = 'echo "value $FLUXJOB_VALUE"; [ "$FLUX_JOB_CC" != 7 ] || [ -e /tmp/cured ] || exit 3';
        const values = Array.from({ length: 10 }, (_, index) => `v${index}`);
        const stack = open("sweep", { array: { values }, command: ["sh", "-c", `${text}; echo {{index}}`] });
        const { text: told } = await stack.fails("up");
        assert.match(told, /1 of 10 elements of array sweep of MiniCluster e2e-\w+\/flux failed\./);
        assert.match(told, /Element 7 \("v7"\), job f\w+: exit code 3\.\s+The end of its output:\s+value v7\s/);
        const before = await jobs("sweep");
        assert.equal(before.length, 10);
        const preview = await stack.preview();
        assert.match(changes(preview.events)["sweep-submission"], /update/);
        const warnings = preview.events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "").join("\n");
        assert.match(warnings, /1 of 10 elements are submitted again: they failed/);

        // Both ranks are pods of their own.
        for (const rank of [0, 1]) {
            await namespace.exec("flux", ["flux", "exec", `--rank=${rank}`, "touch", "/tmp/cured"]);
        }
        const { job } = (await stack.up()).outputs;
        const after = await jobs("sweep");
        assert.deepEqual([after.length, after.filter((id) => !before.includes(id)).length], [10, 1]);
        assert.deepEqual([job.phase, job.exitCode, job.jobIds.length], ["succeeded", 0, 10]);
        const { failures: _failures, ...counts } = job.elements;
        assert.deepEqual(counts, {
            count: 10,
            submitted: 10,
            pending: 0,
            running: 0,
            succeeded: 10,
            failed: 0,
            failedIndexes: "",
            unfinishedIndexes: "",
        });
        assert.equal(
            job.output,
            values.map((value, index) => `${index}: value ${value}\n${index}: ${index}\n`).join(""),
        );
        await stack.preview(true);
        await stack.refresh(true);
        await stack.destroy();
        assert.deepEqual(await jobs("sweep"), []);
    });

    describe("interrupted between two parts of its submission", () => {
        const count = 1500;
        const proxy = useFaultProxy(namespace);

        /** Held jobs: nothing runs, so that only submission and removal count. */
        const openLarge = (name: string) =>
            open(name, { array: { count }, command: ["true"], urgency: 0, wait: false });

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

    it("precedes another job, which Flux starts after all of its elements", async () => {
        const stack = namespace.stack("chain", async () => {
            const first = new FluxJob("first", {
                cluster,
                array: { count: 3 },
                command: ["sh", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done"],
                wait: false,
            });
            const last = new FluxJob("last", { cluster, after: [first], command: ["true"], wait: false });
            return { first, last };
        });
        await stack.up();
        assert.deepEqual(await jobs("last", "{state}"), ["DEPEND"]);
        for (const rank of [0, 1]) {
            await namespace.exec("flux", ["flux", "exec", `--rank=${rank}`, "touch", "/tmp/go"]);
        }
        await until("the last job ends", async () => (await jobs("last", "{result}"))[0] === "COMPLETED" || undefined);
        assert.deepEqual(await jobs("first", "{result}"), ["COMPLETED", "COMPLETED", "COMPLETED"]);
        await stack.refresh();
        const first = stack.resources().find(({ urn }) => urn.endsWith("first-submission"));
        assert.deepEqual([first?.outputs?.phase, first?.outputs?.elements.succeeded], ["succeeded", 3]);
        await stack.destroy();
    });
});
