import assert from "node:assert/strict";

import type { FluxSubmissionInputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { endFrame } from "../../support/calls";
import { type Answer, FakeLead } from "../../support/fakeLead";
import { makeSubmission } from "../../support/submissions";

/** The events of a job that has succeeded. */
const SUCCEEDED = endFrame().replace(/^events\n/, "");

describe("fluxSubmission of a job whose output can't be read", () => {
    const { log } = console;
    let lead: FakeLead;
    /** Answers to the calls that read the output. The last one is repeated. */
    let reads: Answer[];
    let onRead: () => void;

    beforeEach(async () => {
        console.log = () => undefined;
        onRead = () => undefined;
        lead = await FakeLead.start(([name, request]) => {
            switch (name) {
                case "submit":
                    return "f26Zqx\n";
                case "watch":
                    return SUCCEEDED;
                case "submit_array":
                case "run_array":
                    return answerTo(JSON.parse(request).call);
                default:
                    return read();
            }
        });
    });

    afterEach(async () => {
        console.log = log;
        await lead.stop();
    });

    function read(): Answer {
        onRead();
        return reads.length > 1 ? reads.shift()! : reads[0];
    }

    function answerTo(call: string): Answer {
        const ids = { jobId: "f1", jobIds: ["f1"], found: 1 };
        if (call === "logs") {
            return read();
        }
        const ended = { pending: 0, running: 0, failures: [], statuses: [0] };
        const indexes = { failedIndexes: "", missingIndexes: "", unfinishedIndexes: "" };
        return JSON.stringify(
            call === "submit"
                ? { busy: 0, left: 0, forgotten: 0, remaining: 0, error: null, ...ids }
                : { ...ids, ...ended, ...indexes },
        );
    }

    const create = async (more: Partial<FluxSubmissionInputs> = {}) => {
        const timeouts = { ready: 1 };
        return (await fluxSubmission.create(makeSubmission({ kubeconfig: lead.kubeconfig, timeouts, ...more }))).outs;
    };

    it("has succeeded, and its output says why it is missing", async () => {
        reads = [1];
        const { exitCode, output, phase } = await create();
        assert.deepEqual([phase, exitCode], ["succeeded", 0]);
        assert.equal(output, "(the output of job f26Zqx can't be read: flux: ERROR: no)\n");
    });

    it("reads the output when the broker answers again", async () => {
        reads = [65, "hello\n"];
        assert.equal((await create({ timeouts: { ready: 10 } })).output, "hello\n");
    });

    it("keeps the end of the job if the lead or the job is lost then", async () => {
        reads = [65];
        onRead = () => (lead.state = "gone");
        const { output, phase } = await create({ timeouts: { ready: 10 } });
        assert.deepEqual(
            [phase, output],
            ["succeeded", "(the output of job f26Zqx can't be read: the lead was lost before)\n"],
        );
    });

    it("keeps the end of the job if the broker doesn't answer any more, or flux knows the job no more", async () => {
        reads = [65];
        const { output, phase } = await create();
        assert.deepEqual([phase, output], ["succeeded", "(the output of job f26Zqx can't be read: flux: ERROR: no)\n"]);
        reads = [64];
        const later = await create();
        assert.equal(later.output, "(the output of job f26Zqx can't be read: Flux doesn't know the job any more)\n");
    });

    it("keeps the end of an array too", async () => {
        reads = [1];
        const { elements, output, phase } = await create({ array: { count: 1 } });
        assert.deepEqual([phase, elements?.succeeded], ["succeeded", 1]);
        assert.match(
            output,
            /^\(the output of array solve of MiniCluster hpc\/lammps can't be read: .*flux: ERROR: no\)\n$/,
        );
    });

    it("has no such text if no output is kept", async () => {
        reads = [1];
        onRead = () => assert.fail("The output was read.");
        assert.equal((await create({ maxBytes: 0 })).output, "");
    });
});

describe("the exit code of a FluxSubmission", () => {
    it("is null if there is none, because a preview takes a missing output as unknown", async () => {
        const lead = await FakeLead.start(([name]) => (name === "submit" ? "f26Zqx\n" : 64));
        const inputs = makeSubmission({ kubeconfig: lead.kubeconfig, wait: false });
        const { outs } = await fluxSubmission.create(inputs);
        assert.equal(outs.exitCode, null);
        const update = await fluxSubmission.update("id", outs, inputs);
        assert.equal(update.outs.exitCode, null);
        await lead.stop();
    });
});
