import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import type { KubernetesObject } from "../../../../provider/contract/object";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";

const SINCE = "2026-01-01T00:00:00Z";

describe("indexedJob of a cluster that sizes itself", () => {
    const api = useApi(putLeadService);

    afterEach(newOperation);
    function inputsOf(args: Partial<PlainArgs> = {}, overrides: Partial<IndexedJobInputs> = {}) {
        const all: Partial<PlainArgs> = {
            command: [],
            elastic: {},
            maxSize: 6,
            resources: { limits: { cpu: "1" } },
            size: 1,
        };
        return makeInputs({ ...all, ...args }, { kubeconfig: api.kubeconfig, sizedBy: "cluster", ...overrides });
    }

    /** Changes the Job as the cluster's lead does. */
    function change(spec: object, annotations: object = {}): void {
        const job = api.get("jobs", "lammps") as KubernetesObject;
        const metadata = { ...job.metadata, annotations: { ...job.metadata.annotations, ...annotations } };
        api.put("jobs", { ...job, metadata, spec: { ...job.spec, ...spec } });
    }

    const sleep = () => change({ suspend: true }, { "flux-minicluster/asleep": SINCE });
    const live = () => api.get("jobs", "lammps") as KubernetesObject;

    it("finds no drift in a size that the cluster has chosen", async () => {
        const { id, outs } = await indexedJob.create(inputsOf());
        change({ completions: 5, parallelism: 5 }, { "flux-minicluster/elastic": "{}" });
        const { inputs, props } = await indexedJob.read(id, outs);
        assert.deepEqual([inputs, props], [JSON.parse(JSON.stringify(inputsOf())), outs]);
    });

    it("doesn't plan a change of the size in the arguments", async () => {
        const { id, outs } = await indexedJob.create(inputsOf());
        assert.equal((await indexedJob.diff(id, outs, inputsOf({ size: 3 }))).changes, false);
        assert.equal((await indexedJob.diff(id, outs, inputsOf({ maxSize: 7 }))).replaces?.length, 1);
    });

    it("keeps the live size when it changes something else", async () => {
        const { id, outs } = await indexedJob.create(inputsOf());
        change({ completions: 5, parallelism: 5 });
        await indexedJob.update(id, outs, inputsOf({ annotations: { note: "a" }, size: 3 }));
        const { metadata, spec } = live();
        assert.deepEqual([metadata.annotations.note, spec.completions, spec.parallelism], ["a", 5, 5]);
    });

    it("changes the settings of a running cluster in place", async () => {
        const { id, outs } = await indexedJob.create(inputsOf());
        const changed = inputsOf({ elastic: { cooldown: 5 } });
        assert.deepEqual(await indexedJob.diff(id, outs, changed), {
            changes: true,
            replaces: [],
            deleteBeforeReplace: true,
        });
        await indexedJob.update(id, outs, changed);
        assert.equal(live().metadata.annotations["flux-minicluster/elastic-settings"], '{"cooldown":5}');
    });

    it("finds no drift in a Job that sleeps", async () => {
        const { id, outs } = await indexedJob.create(inputsOf());
        sleep();
        assert.deepEqual((await indexedJob.read(id, outs)).props, outs);
    });

    it("wakes a Job that sleeps, once, and says so in the preview", async () => {
        const { id, outs } = await indexedJob.create(inputsOf());
        sleep();
        const { inputs } = await indexedJob.check(inputsOf(), inputsOf());
        assert.equal(inputs.wake, SINCE);
        assert.deepEqual(await indexedJob.diff(id, outs, inputs), {
            changes: true,
            replaces: [],
            deleteBeforeReplace: true,
        });
        const { outs: after } = await indexedJob.update(id, outs, inputs);
        const { metadata, spec } = live();
        assert.deepEqual([spec.suspend, "flux-minicluster/asleep" in metadata.annotations], [false, false]);
        const { inputs: again } = await indexedJob.check(inputs, inputsOf());
        assert.equal((await indexedJob.diff(id, after, again)).changes, false);
    });

    it("wakes a Job that sleeps in a queue, with the pods that it had", async () => {
        const queued = inputsOf({ queueName: "team" });
        const { id, outs } = await indexedJob.create(queued);
        change({ suspend: false, parallelism: 0 }, { "flux-minicluster/asleep": SINCE });
        const { inputs } = await indexedJob.check(queued, queued);
        assert.equal(inputs.wake, SINCE);
        await indexedJob.update(id, outs, inputs);
        assert.deepEqual([live().spec.suspend, live().spec.parallelism], [false, 1]);
    });

    it("doesn't wake a Job that the arguments suspend", async () => {
        await indexedJob.create(inputsOf());
        sleep();
        assert.equal((await indexedJob.check(inputsOf(), inputsOf({ suspend: true }))).inputs.wake, "");
    });
});
