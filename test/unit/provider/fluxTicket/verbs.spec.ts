import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/properties";
import { earlierHashes } from "../../../../provider/flux/content";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import type { FluxTicketOutputs } from "../../../../provider/fluxTicket/properties";
import { fluxTicket } from "../../../../provider/fluxTicket/verbs";

describe("fluxTicket", () => {
    it("makes a nonce in a form that Flux takes for a text, and a key, once", async () => {
        const { id, outs } = await fluxTicket.create({ jobName: "solve" });
        assert.match(outs.nonce, /^n[0-9a-f]{16}$/);
        assert.match(outs.key ?? "", /^[0-9a-f]{64}$/);
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

describe("the state of a FluxJob of version 0.2", () => {
    const file = join(__dirname, "../../../states/earlier/3117b3b/flux-job.json");
    const { resources } = JSON.parse(readFileSync(file, "utf8")).deployment;
    const find = (type: string) =>
        (resources as { type: string; id: string; inputs: object; outputs: object }[]).find((of) =>
            of.type.endsWith(type),
        )!;
    const ticket = find(":FluxTicket") as { id: string; inputs: object; outputs: FluxTicketOutputs };
    const submission = find(":FluxSubmission") as unknown as {
        id: string;
        inputs: FluxSubmissionInputs;
        outputs: FluxSubmissionOutputs;
    };

    it("gets a key and a name for its ticket, and keeps the nonce", async () => {
        const { inputs } = await fluxTicket.check(ticket.inputs, { jobName: "flux-job-task" });
        assert.deepEqual(await fluxTicket.diff(ticket.id, ticket.outputs, inputs), { changes: true });
        const { outs } = await fluxTicket.update(ticket.id, ticket.outputs, inputs);
        assert.deepEqual([outs.nonce, outs.jobName, outs.schemaVersion], [ticket.outputs.nonce, "flux-job-task", 2]);
        assert.match(outs.key ?? "", /^[0-9a-f]{64}$/);
        assert.deepEqual(await fluxTicket.diff(ticket.id, outs, inputs), { changes: false });
        assert.equal((await fluxTicket.update(ticket.id, outs, inputs)).outs.key, outs.key);
    });

    it("shows no change of its job, also when the FluxJob is renamed", async () => {
        const now = { ...submission.inputs, key: "new", interrupt: "refuse" as const };
        for (const jobName of ["flux-job-task", "renamed"]) {
            const { inputs } = await fluxSubmission.check(submission.inputs, { ...now, jobName });
            assert.equal(inputs.jobName, "flux-job-task");
            const diff = await fluxSubmission.diff(submission.id, submission.outputs, inputs);
            assert.deepEqual(diff, { changes: false, replaces: [], deleteBeforeReplace: true });
        }
    });

    it("has the hash by which its job is found again", () => {
        const now = { ...submission.inputs, key: "new", interrupt: "refuse" as const };
        assert.equal(earlierHashes(now)[0], earlierHashes(submission.inputs)[0]);
    });
});
