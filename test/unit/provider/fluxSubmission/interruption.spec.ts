import assert from "node:assert/strict";

import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { type Answer, FakeLead } from "../../support/fakeLead";
import { operate } from "../../support/program";
import { makeSubmission, makeSubmitted } from "../../support/submissions";

const HOUR = 3600;
const event = (name: string, ago: number) => `${JSON.stringify({ timestamp: Date.now() / 1000 - ago, name })}\n`;

describe("fluxSubmission of a running job", () => {
    const { log } = console;
    const { argv } = process;
    let lead: FakeLead;
    let events: string;
    let PENDING: string;
    let RUNS: string;
    let ENDED: string;
    /** Elements of an array that run. */
    let running: number;
    let nonces = 0;

    beforeEach(async () => {
        console.log = () => undefined;
        await operate(true);
        PENDING = event("submit", 4 * HOUR);
        RUNS = PENDING + event("start", 3 * HOUR);
        ENDED = RUNS + event("finish", 1);
        events = RUNS;
        running = 0;
        // Each test is an operation of its own: what `check` and `diff` remember belongs to a nonce.
        nonces++;
        lead = await FakeLead.start(([name, request, , , guard]) => {
            if (name === "run_array") {
                return JSON.stringify(watched(running));
            }
            if (name === "remove_array") {
                const busy = JSON.parse(request).refuse ? running : 0;
                return JSON.stringify({ busy, left: busy });
            }
            const refuses = name === "remove" && guard === "refuse" && events === RUNS;
            return { code: refuses ? 66 : 0, stdout: name === "watch" || refuses ? events : "" };
        });
    });

    afterEach(async () => {
        console.log = log;
        process.argv = argv;
        await lead.stop();
    });

    const watched = (runs: number) => ({
        found: 3,
        running: runs,
        pending: 3 - runs,
        failedIndexes: "",
        unfinishedIndexes: "0-2",
        missingIndexes: "",
        statuses: [],
        failures: [],
        jobId: "f1",
        jobIds: ["f1", "f2", "f3"],
    });
    const nonce = () => `n${nonces}`;
    const olds = (overrides: Partial<FluxSubmissionOutputs> = {}) =>
        makeSubmitted({ kubeconfig: lead.kubeconfig, nonce: nonce(), phase: "running", ...overrides });
    const news = (overrides: Partial<FluxSubmissionInputs> = {}) =>
        makeSubmission({ kubeconfig: lead.kubeconfig, nonce: nonce(), ...overrides });
    const array = { array: { values: ["a", "b", "c"] } };

    describe("diff", () => {
        const diff = (change: object, of: object = {}) => fluxSubmission.diff("id", olds(of), news(change));
        const WHAT = "Flux job f26Zqx of MiniCluster hpc/lammps, which has been running for 3 h 0 min";

        it("refuses a change that would cancel it, and names the job, its duration and the cure", async () => {
            await assert.rejects(diff({ command: ["id"], nodes: 2 }), {
                message: `This change of nodes, command cancels ${WHAT}. Wait until it ends, or set interrupt to "allow".`,
            });
            assert.deepEqual(lead.called, ["watch"]);
        });

        it("refuses to recreate its cluster, as Pulumi asks before it deletes the cluster", async () => {
            await assert.rejects(diff({ cluster: UNKNOWN }), {
                message:
                    `This update may recreate MiniCluster hpc/lammps, which cancels ${WHAT}. Wait until it ends, or set ` +
                    'interrupt to "allow" in an update before this one.',
            });
        });

        it("refuses a change of an array while elements run", async () => {
            running = 2;
            await assert.rejects(diff({ array: { count: 2 } }, array), {
                message:
                    "This change of array cancels array solve of MiniCluster hpc/lammps, of which 2 of 3 elements are " +
                    'running. Wait until it ends, or set interrupt to "allow".',
            });
            running = 0;
            assert.deepEqual((await diff({ array: { count: 2 } }, array)).replaces, ["array"]);
        });

        it("looks at an array that is recorded as failed, because an interrupted update may run elements again", async () => {
            running = 1;
            const counts = { count: 3, submitted: 3, pending: 0, running: 0, succeeded: 2, failed: 1 };
            const elements = { ...counts, failures: [], failedIndexes: "1", unfinishedIndexes: "" };
            await assert.rejects(
                diff({ array: { count: 2 } }, { ...array, elements, phase: "failed" }),
                /1 of 3 elements is/,
            );
        });

        for (const [what, change, of] of [
            ["interrupt allows it", { command: ["id"], interrupt: "allow" }, {}],
            ["the job is recorded as succeeded", { command: ["id"] }, { phase: "succeeded" }],
            ["the job is recorded as failed", { command: ["id"] }, { phase: "failed" }],
        ] as [string, object, object][]) {
            it(`asks for nothing in the cluster if ${what}`, async () => {
                assert.deepEqual((await diff(change, of)).replaces, ["command"]);
                assert.deepEqual(lead.calls, []);
            });
        }

        it("replaces a job that waits, and one whose tasks have finished", async () => {
            for (events of [PENDING, ENDED]) {
                assert.deepEqual((await diff({ command: ["id"] })).replaces, ["command"]);
            }
        });

        it("passes if the cluster can't be asked, because a preview must work without it", async () => {
            for (const state of ["gone", "refuses", "suspended"] as const) {
                lead.state = state;
                assert.deepEqual((await diff({ command: ["id"] })).replaces, ["command"]);
            }
            assert.deepEqual((await diff({ command: ["id"], kubeconfig: "/no/such/file" })).replaces, ["command"]);
        });

        it("takes an unknown value for no reason to replace it, and a known part of it that differs for one", async () => {
            const kept = { changes: true, replaces: [], deleteBeforeReplace: true };
            for (const [change, of] of [
                [{ command: UNKNOWN }, {}],
                [{ command: ["echo", UNKNOWN] }, { command: ["echo", "a"] }],
                [{ environment: { A: "1", B: UNKNOWN } }, { environment: { A: "1", B: "2" } }],
                [{ after: UNKNOWN }, { after: [{ jobId: "f1" }] }],
                [{ after: [{ jobId: UNKNOWN, jobIds: UNKNOWN, phase: UNKNOWN }] }, { after: [{ jobId: "f1" }] }],
                [{ triggers: [UNKNOWN] }, { triggers: [1] }],
                [{ array: UNKNOWN }, array],
            ] as [object, object][]) {
                assert.deepEqual(await diff(change, of), kept, JSON.stringify(change));
            }
            assert.deepEqual(lead.calls, []);
            events = PENDING;
            for (const [name, change, of] of [
                ["command", { command: ["id", UNKNOWN] }, { command: ["echo", "a"] }],
                ["command", { command: [UNKNOWN] }, { command: ["echo", "a"] }],
                ["environment", { environment: { C: UNKNOWN } }, { environment: { A: "1" } }],
                ["after", { after: [{ jobId: UNKNOWN, end: "any" }] }, { after: [{ jobId: "f1" }] }],
            ] as [string, object, object][]) {
                assert.deepEqual((await diff(change, of)).replaces, [name], JSON.stringify(change));
            }
        });

        it("changes nothing for the nonce and the key of a ticket that gets its key in this update", async () => {
            const change = { nonce: UNKNOWN, key: UNKNOWN };
            const kept = { changes: false, replaces: [], deleteBeforeReplace: true };
            assert.deepEqual(await diff(change, { phase: "succeeded" }), kept);
        });

        it("keeps it if only interrupt or the name changes", async () => {
            const ended = { phase: "succeeded", interrupt: "refuse" } as const;
            assert.deepEqual((await diff({ interrupt: "allow" }, ended)).replaces, []);
            assert.equal((await diff({ interrupt: "allow" }, ended)).changes, true);
            assert.equal((await diff({ jobName: "renamed" }, ended)).changes, false);
            assert.equal((await diff({ interrupt: "refuse" }, { phase: "succeeded" })).changes, false);
        });
    });

    describe("check", () => {
        it("keeps the name that the job has in Flux", async () => {
            const { inputs } = await fluxSubmission.check({ jobName: "first" }, news({ jobName: "renamed" }));
            assert.equal(inputs.jobName, "first");
            assert.equal((await fluxSubmission.check({}, news({ jobName: "renamed" }))).inputs.jobName, "renamed");
        });
    });

    describe("delete", () => {
        const remove = (of: Partial<FluxSubmissionOutputs> = {}) => fluxSubmission.delete("id", olds(of));
        const guards = () => lead.calls.filter(([name]) => name === "remove").map((words) => words[4]);
        const MESSAGE =
            "This update would cancel Flux job f26Zqx of MiniCluster hpc/lammps, which has been running for 3 h 0 min. " +
            'Wait until it ends, or set interrupt to "allow".';

        it("cancels it in a destroy, which makes no other call", async () => {
            await operate(false);
            await remove();
            assert.deepEqual(guards(), ["allow"]);
        });

        it("cancels it in a destroy with --target, which asks for the diff of dependents", async () => {
            await operate(false);
            const { replaces } = await fluxSubmission.diff("id", olds(), news({ cluster: UNKNOWN as any }));
            assert.deepEqual(replaces, ["cluster"]);
            await remove();
            assert.deepEqual(guards(), ["allow"]);
        });

        it("refuses after a check, as in a replacement by hand", async () => {
            await fluxSubmission.check({}, news());
            await assert.rejects(remove(), { message: MESSAGE });
            assert.deepEqual(guards(), ["refuse"]);
        });

        it("refuses after a diff that could not ask the cluster", async () => {
            lead.state = "refuses";
            const { replaces } = await fluxSubmission.diff("id", olds(), news({ cluster: UNKNOWN as any }));
            assert.deepEqual(replaces, ["cluster"]);
            lead.state = "ready";
            await assert.rejects(remove(), { message: MESSAGE });
        });

        it("fails if the cluster can't be asked", async () => {
            await fluxSubmission.check({}, news());
            lead.state = "refuses";
            await assert.rejects(remove(), /^Error: Flux job f26Zqx can't be removed: forbidden/);
        });

        it("goes on if its cluster is gone or suspended, or the job has finished", async () => {
            await fluxSubmission.check({}, news());
            for (const state of ["gone", "suspended"] as const) {
                lead.state = state;
                await remove();
            }
            lead.state = "ready";
            events = ENDED;
            await remove();
        });

        it("follows the newest interrupt of this update, and that of the state without one", async () => {
            await fluxSubmission.check({}, news({ interrupt: "allow" }));
            await remove({ interrupt: "refuse" });
            await fluxSubmission.check({}, news({ interrupt: "refuse" }));
            await assert.rejects(remove({ interrupt: "allow" }), { message: MESSAGE });
        });

        it("refuses if the program runs without the job, and names the two ways", async () => {
            await assert.rejects(remove(), {
                message:
                    `${MESSAGE.slice(0, -1)} in an update before the program drops it, or cancel it with pulumi destroy ` +
                    "--target.",
            });
            await remove({ interrupt: "allow" });
            await operate(false);
            await remove();
        });

        it("refuses while elements of an array run", async () => {
            running = 2;
            await fluxSubmission.check({}, news(array));
            await assert.rejects(remove(array), /would cancel array solve .*, of which 2 of 3 elements are running\./);
            running = 0;
            await remove(array);
        });
    });

    it("isn't replaced by a create with other arguments, which finds the job of an interrupted update", async () => {
        const other = await FakeLead.start(() => ({ code: 66, stdout: "f1\n" }));
        try {
            await assert.rejects(fluxSubmission.create(news({ kubeconfig: other.kubeconfig })), {
                message:
                    "The job can't be submitted to MiniCluster hpc/lammps: Tasks of job f1, which an interrupted update " +
                    'submitted with other arguments, still run. Wait for their end, or set interrupt to "allow".',
            });
            assert.deepEqual(other.called, ["submit"]);
        } finally {
            await other.stop();
        }
    });

    it("takes the place of an array of an interrupted update, unless elements run", async () => {
        const [none, removed] = [3, 0].map((left) => JSON.stringify({ busy: 0, left }));
        const answers: Answer[] = [67, JSON.stringify({ busy: 2, left: 3 }), 67, none, removed, "f1\n"];
        const other = await FakeLead.start(() => answers.shift() ?? 1);
        try {
            const create = () => fluxSubmission.create(news({ kubeconfig: other.kubeconfig, wait: false }));
            await assert.rejects(
                create,
                /: Elements of an array, which an interrupted update submitted .*, still run\./,
            );
            assert.equal((await create()).outs.jobId, "f1");
            const calls = ["submit", "remove_array", "submit", "remove_array", "remove_array", "submit"];
            assert.deepEqual(other.called, calls);
        } finally {
            await other.stop();
        }
    });
});
