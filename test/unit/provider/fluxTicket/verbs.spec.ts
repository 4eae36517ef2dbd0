import assert from "node:assert/strict";

import { fluxTicket } from "../../../../provider/fluxTicket/verbs";

describe("fluxTicket", () => {
    it("makes a nonce in a form that Flux takes for a text, and a key, once", async () => {
        const { id, outs } = await fluxTicket.create({ jobName: "solve" });
        assert.match(outs.nonce, /^m[0-9a-f]{16}$/);
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
});
