import assert from "node:assert/strict";

import { fluxTicket } from "../../../../provider/fluxTicket/verbs";
import { UNKNOWN } from "../../../../provider/unknown";
import { useApi } from "../../support/fakeApi";

describe("fluxTicket", () => {
    const api = useApi();
    const cluster = { name: "lammps", namespace: "hpc", uid: "job-uid" };

    const inputsOf = (overrides: object = {}) => ({
        jobName: "solve",
        kubeconfig: api.kubeconfig,
        cluster,
        ...overrides,
    });
    const putJob = (uid: string, owner: string) =>
        api.put("jobs", { metadata: { name: "lammps", uid, ownerReferences: [{ kind: "Service", uid: owner }] } });

    it("makes a nonce in a form that Flux takes for a text, and a key, once", async () => {
        const { id, outs } = await fluxTicket.create({ jobName: "solve" });
        assert.match(outs.nonce, /^n[0-9a-f]{16}$/);
        assert.match(outs.key, /^[0-9a-f]{64}$/);
        assert.equal(id, outs.nonce);
        const other = await fluxTicket.create({ jobName: "solve" });
        assert.notEqual(other.outs.key, outs.key);
        assert.deepEqual(await fluxTicket.diff(id, outs, { jobName: "solve" }), { changes: false });
        assert.deepEqual((await fluxTicket.update(id, outs, { jobName: "solve" })).outs, outs);
        assert.deepEqual(await fluxTicket.read(id, outs), { id, props: outs, inputs: { jobName: "solve" } });
    });

    it("keeps the first name of a FluxJob that is renamed", async () => {
        const { inputs } = await fluxTicket.check({ jobName: "solve" }, { jobName: "renamed" });
        assert.deepEqual(inputs, { jobName: "solve" });
        assert.deepEqual((await fluxTicket.check({}, { jobName: "solve" })).inputs, { jobName: "solve" });
    });

    it("records the lead Service of its cluster, and only in its own one", async () => {
        putJob("another", "of another cluster");
        const { id, outs } = await fluxTicket.create(inputsOf());
        assert.equal(outs.lead, undefined);
        putJob("job-uid", "service-uid");
        assert.deepEqual((await fluxTicket.read(id, outs)).props?.lead, { uid: "service-uid" });
        assert.deepEqual((await fluxTicket.create(inputsOf())).outs.lead, { uid: "service-uid" });
    });

    it("is made without an answer of the cluster, and with a kubeconfig that can't be used", async () => {
        api.fail(/jobs/, 403, { times: 9 });
        for (const kubeconfig of [api.kubeconfig, "/nowhere"]) {
            assert.equal((await fluxTicket.create(inputsOf({ kubeconfig }))).outs.lead, undefined);
        }
    });

    it("gets the cluster of another state in an update, and asks for no other one", async () => {
        putJob("job-uid", "service-uid");
        const { id, outs } = await fluxTicket.create({ jobName: "solve" });
        for (const news of [inputsOf(), inputsOf({ cluster: UNKNOWN })]) {
            assert.deepEqual(await fluxTicket.diff(id, outs, news), { changes: true });
        }
        const { outs: after } = await fluxTicket.update(id, outs, inputsOf());
        assert.deepEqual(after, { ...outs, ...inputsOf(), lead: { uid: "service-uid" } });
        assert.deepEqual(await fluxTicket.diff(id, after, inputsOf()), { changes: false });
    });

    it("keeps the lead Service if credentials lead to a cluster of the same name, and not if the cluster is new", async () => {
        const named = { name: "lammps", namespace: "hpc" };
        putJob("job-uid", "service-uid");
        const { id, outs } = await fluxTicket.create(inputsOf({ cluster: named }));
        putJob("another", "another");
        const moved = await fluxTicket.update(id, outs, inputsOf({ cluster: named, context: "fake" }));
        assert.deepEqual(moved.outs.lead, { uid: "service-uid" });
        const replaced = await fluxTicket.update(id, outs, inputsOf({ cluster: { ...cluster, uid: "another" } }));
        assert.deepEqual(replaced.outs.lead, { uid: "another" });
    });
});
