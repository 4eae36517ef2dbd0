import assert from "node:assert/strict";

import { FluxJob, type FluxJobArgs, MiniCluster } from "flux-minicluster";

import { changes } from "./support/changing";
import { jobsOf } from "./support/jobsOf";
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

    const jobs = (name: string, format?: string) => jobsOf(namespace, "flux", name, format);

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
