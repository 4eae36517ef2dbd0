import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { packageVersion } from "../../../../provider/contract/versions";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { FakeLead } from "../../support/fakeLead";
import { makeSubmission } from "../../support/submissions";

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const eventsOf = (status: number) =>
    [{ name: "submit" }, { name: "start" }, { name: "finish", context: { status } }, { name: "clean" }]
        .map((event, index) => `${JSON.stringify({ timestamp: index + 1, ...event })}\n`)
        .join("");

describe("the record of a FluxJob", () => {
    const { log } = console;
    let lead: FakeLead;
    let events: string;

    beforeEach(async () => {
        console.log = () => undefined;
        events = eventsOf(0);
        const answers: Record<string, () => string> = { submit: () => "f26Zqx\n", watch: () => events };
        lead = await FakeLead.start(([name = ""]) => (answers[name] ?? (() => "hello\n"))());
    });

    afterEach(async () => {
        console.log = log;
        await lead.stop();
    });

    const given: Partial<FluxSubmissionInputs> = {
        command: ["lmp", "-in", "melt.in"],
        nodes: 2,
        environment: { MASS: "hunter2" },
        secretEnvironment: { CHARGE: "hunter3" },
    };
    const inputsOf = (more: Partial<FluxSubmissionInputs> = {}) =>
        makeSubmission({ kubeconfig: lead.kubeconfig, timeouts: { ready: 1 }, ...given, ...more });
    const create = async (more: Partial<FluxSubmissionInputs> = {}): Promise<FluxSubmissionOutputs> =>
        fluxSubmission.create(inputsOf(more)).then(
            ({ outs }) => outs,
            ({ properties }: { properties: FluxSubmissionOutputs }) => properties,
        );

    it("has what ran, with what, when, and how it ended", async () => {
        const { clusterUid, record } = await create();
        assert.deepEqual(record, {
            schemaVersion: 1,
            name: "lammps",
            namespace: "hpc",
            uid: clusterUid,
            jobId: "f26Zqx",
            phase: "succeeded",
            exitCode: 0,
            failures: [],
            digests: [],
            command: ["lmp", "-in", "melt.in"],
            environment: ["CHARGE", "MASS"],
            runOptions: ["--nodes=2"],
            settings: {},
            versions: { package: packageVersion() },
            createdAt: iso(1),
            startedAt: iso(2),
            endedAt: iso(3),
            ranks: [],
            output: { bytes: 6, sha256: createHash("sha256").update("hello\n").digest("hex") },
            missing: [],
        });
        assert.doesNotMatch(JSON.stringify(record), /hunter/);
    });

    it("has why the job has failed", async () => {
        events = eventsOf(3 << 8);
        const { exitCode, failures, phase } = (await create()).record!;
        assert.deepEqual([phase, exitCode], ["failed", 3]);
        assert.deepEqual(failures, [{ about: "solve", message: "exit code 3" }]);
    });

    it("hides the command, the environment and the hash of a secret output", async () => {
        const { command, environment, missing, output, runOptions } = (await create({ secretOutput: true })).record!;
        assert.deepEqual([command, environment, runOptions, output], [[], [], [], undefined]);
        assert.deepEqual(missing, ["command, environment, runOptions and output: output.secret is true"]);
    });

    it("is null while nothing has waited for the end, and made by a refresh; another one keeps it", async () => {
        const begun = await create({ wait: false });
        assert.equal(begun.record, null);
        const first = (await fluxSubmission.read("hpc/lammps/f26Zqx", begun)).props!;
        assert.equal(first.record?.endedAt, iso(3));
        events = eventsOf(9);
        assert.deepEqual((await fluxSubmission.read("hpc/lammps/f26Zqx", first)).props, first);
        const { outs } = await fluxSubmission.update("hpc/lammps/f26Zqx", first, inputsOf({ interrupt: "allow" }));
        assert.deepEqual(outs.record, first.record);
    });
});
