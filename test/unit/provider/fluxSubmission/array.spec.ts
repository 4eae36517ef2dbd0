import assert from "node:assert/strict";

import { describeArrayEnd } from "../../../../provider/fluxSubmission/arrayFailure";
import { type ArrayProgress, describeProgress, readProgress } from "../../../../provider/flux/arrayProgress";
import { ArrayQueue } from "../../../../provider/flux/arrayQueue";
import { unseen } from "../../../../provider/fluxSubmission/array";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/properties";
import { contentHash } from "../../../../provider/flux/job";
import { submitArrayCall, submitCall } from "../../../../provider/flux/script";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { connect } from "../../../../provider/kubernetes/client";
import { endOf, FakeExec, printed } from "../../support/fakeExec";
import { makeSubmission, makeSubmitted } from "../../support/submissions";

const values = ["a", "b", "c"];
const inputs = makeSubmission({ array: { values } });

/** An answer of array.py to `watch`. */
const answer = (overrides: object = {}) => ({
    found: 3,
    running: 0,
    pending: 0,
    succeeded: 3,
    failed: 0,
    failedIndexes: "",
    unfinishedIndexes: "",
    missingIndexes: "",
    statuses: [0],
    failures: [],
    jobId: "f1",
    jobIds: ["f1", "f2", "f3"],
    ...overrides,
});
const failure = { index: 1, jobId: "f2", status: 7 << 8, exception: null };
const read = (overrides: object = {}, of: FluxSubmissionInputs = inputs) => readProgress(of, answer(overrides));

describe("readProgress", () => {
    const phases: [string, object][] = [
        ["succeeded", {}],
        ["failed", { failedIndexes: "1", failures: [failure] }],
        ["pending", { pending: 3, unfinishedIndexes: "0-2" }],
        ["running", { pending: 2, running: 1, unfinishedIndexes: "0-2" }],
        ["running", { pending: 2, unfinishedIndexes: "1-2" }],
        ["running", { found: 2, pending: 1, unfinishedIndexes: "1", missingIndexes: "2" }],
        ["lost", { found: 2, missingIndexes: "1" }],
    ];
    for (const [phase, overrides] of phases) {
        it(`finds that an array with ${JSON.stringify(overrides)} is ${phase}`, () => {
            const progress = read(overrides);
            assert.equal(progress?.phase, phase);
            assert.equal(progress?.over, ["succeeded", "failed", "lost"].includes(phase));
        });
    }

    it("knows nothing of an array of which Flux has no element", () => {
        assert.equal(read({ found: 0, missingIndexes: "0-2", jobId: null, jobIds: [] }), undefined);
    });

    it("has the index, the value, the exit code and the reason of a failure, and the highest exit code", () => {
        const cancelled = { index: 2, jobId: "f3", status: null, exception: { type: "cancel", note: "by hand" } };
        const progress = read({ failedIndexes: "1-2", failures: [failure, cancelled], statuses: [0, 7 << 8, 9] });
        assert.equal(progress?.exitCode, 137);
        assert.deepEqual(progress?.elements.failures, [
            { index: 1, value: "b", jobId: "f2", exitCode: 7, reason: "exit code 7", output: "" },
            { index: 2, value: "c", jobId: "f3", exitCode: undefined, reason: "it was cancelled: by hand", output: "" },
        ]);
    });

    it("has no ids of an array that is larger than the list", () => {
        assert.deepEqual(read()?.jobIds, ["f1", "f2", "f3"]);
        assert.deepEqual(read({ jobIds: ["f1", "f2"] }, makeSubmission({ array: { count: 200 } }))?.jobIds, []);
    });
});

describe("describeProgress", () => {
    it("counts the elements that are done, and those that failed", () => {
        const elements = { ...read()!.elements, count: 1000, succeeded: 135 };
        assert.equal(describeProgress(elements), "135 of 1,000 done");
        assert.equal(describeProgress({ ...elements, failed: 2 }), "137 of 1,000 done, 2 failed");
    });
});

describe("describeArrayEnd", () => {
    const describeEnd = (progress: ArrayProgress | undefined, ended: object = {}, more: object = {}) =>
        describeArrayEnd({ progress, output: "", ...ended }, progress?.phase ?? "lost", { ...inputs, ...more });
    const withLog = ({ elements, ...progress }: ArrayProgress, output: string): ArrayProgress => ({
        ...progress,
        elements: { ...elements, failures: elements.failures.map((failed) => ({ ...failed, output })) },
    });
    const what = "array solve of MiniCluster hpc/lammps";
    const failed = read({ failedIndexes: "1", failures: [failure] })!;

    it("names each element that failed, with the end of its log", () => {
        assert.equal(
            describeEnd(withLog(failed, "why\n")),
            `1 of 3 elements of ${what} failed.\nElement 1 ("b"), job f2: exit code 7.\nThe end of its output:\n  why`,
        );
    });

    it("shows the logs of the first three, counts those that it doesn't name, and shortens values", () => {
        const failures = [0, 1, 2, 3].map((index) => ({ ...failure, index }));
        const many = makeSubmission({ array: { values: Array(2000).fill("x".repeat(200)) } });
        const progress = withLog(read({ found: 2000, failedIndexes: "0-1999", failures }, many)!, "why\n");
        const text = describeEnd(progress, {}, many)!;
        assert.equal(text.match(/The end of its output/g)?.length, 3);
        assert.match(text, /^2,000 of 2,000 elements of /);
        assert.match(text, /\nElement 3 \("x{100}\.\.\."\), job f2: exit code 7\.\nAnd 1,996 more\.$/);
    });

    it("shows nothing of a secret output", () => {
        assert.doesNotMatch(describeEnd(withLog(failed, "hush\n"), {}, { secretOutput: true })!, /hush/);
    });

    it("says how far an array was whose wait has ended", () => {
        const running = read({ pending: 2, unfinishedIndexes: "1-2" });
        assert.equal(
            describeEnd(running, { unfinished: "interrupted" }),
            `The wait for ${what} was interrupted (1 of 3 done). The next update resumes the wait.`,
        );
        const timeouts = { ready: 300, completed: 60 };
        assert.equal(
            describeEnd(running, { unfinished: "timeout" }, { timeouts }),
            `The ${what} has not finished within 60 s (timeouts.completed) (1 of 3 done). It is not cancelled; the next update resumes the wait.`,
        );
    });

    it("says how many elements were lost", () => {
        const cure = "its cluster has no record of them. The next update submits them again.";
        assert.equal(
            describeEnd(read({ found: 2, missingIndexes: "1" })),
            `1 of 3 elements of ${what} were lost: ${cure}`,
        );
        assert.equal(describeEnd(undefined), `3 of 3 elements of ${what} were lost: ${cure}`);
        assert.equal(describeEnd(read()), undefined);
    });
});

describe("fluxSubmission of an array", () => {
    const { log } = console;
    let warnings: string[];

    beforeEach(() => {
        warnings = [];
        console.log = (line: string) => warnings.push(line);
    });

    afterEach(() => {
        console.log = log;
    });

    const elements = read()!.elements;
    const diff = (olds: Partial<FluxSubmissionOutputs>, news: Partial<FluxSubmissionInputs> = {}) =>
        fluxSubmission.diff(
            "id",
            makeSubmitted({ array: { values }, elements, ...olds }),
            makeSubmission({ array: { values }, ...news }),
        );
    const kept = (changes: boolean) => ({ changes, replaces: [], deleteBeforeReplace: true });

    it("finds no change after the success of all elements", async () => {
        assert.deepEqual(await diff({}), kept(false));
    });

    it("is replaced if its elements change, or if one job becomes an array", async () => {
        const replaced = { changes: true, replaces: ["array"], deleteBeforeReplace: true };
        assert.deepEqual(await diff({}, { array: { values: ["a", "b"] } }), replaced);
        assert.deepEqual(await diff({ array: undefined }), replaced);
        assert.deepEqual(await diff({}, { array: undefined }), replaced);
    });

    it("is updated, not replaced, if elements have failed, were lost or are missing", async () => {
        const failedOnes = { ...elements, succeeded: 1, failed: 2, failedIndexes: "0,2" };
        assert.deepEqual(await diff({ phase: "failed", elements: failedOnes }), kept(true));
        assert.deepEqual(warnings, ["solve: 2 of 3 elements are submitted again: they failed."]);
        const missing = { ...elements, submitted: 1, succeeded: 1, unfinishedIndexes: "1-2" };
        for (const phase of ["lost", "pending"] as const) {
            assert.deepEqual(await diff({ phase, elements: missing, wait: false }, { wait: false }), kept(true));
        }
        assert.equal(warnings.at(-1), "solve: 2 of 3 elements are submitted, which its cluster doesn't have.");
    });

    it("counts all elements as missing if none is left", async () => {
        const begun = {
            phase: "pending",
            elements: { ...elements, succeeded: 0, pending: 3, unfinishedIndexes: "0-2" },
            output: "",
        } as const;
        assert.equal(unseen(begun, false), begun);
        const { elements: lost, phase } = unseen(begun, true);
        assert.deepEqual([phase, lost?.count, lost?.submitted, lost?.pending], ["lost", 3, 0, 0]);
        assert.deepEqual(await diff({ phase: "lost", elements: lost }), kept(true));
        assert.deepEqual(warnings, ["solve: 3 of 3 elements are submitted, which its cluster doesn't have."]);
    });

    it("only resumes the wait with rerunFailed: false, and if all elements are submitted", async () => {
        assert.deepEqual(await diff({ phase: "failed" }, { rerunFailed: false }), kept(true));
        assert.deepEqual(await diff({ phase: "running" }), kept(true));
        assert.deepEqual(await diff({ phase: "running", wait: false }, { wait: false }), kept(false));
        assert.deepEqual(warnings, []);
    });
});

describe("submitArrayCall", () => {
    it("has the words of one job, with the program and the request before them", () => {
        const [, ...job] = submitCall(inputs);
        assert.deepEqual(submitArrayCall("text", { a: 1 }, inputs), ["submit_array", "text", '{"a":1}', ...job]);
    });

    it("has another hash for other elements", () => {
        assert.notEqual(contentHash(inputs), contentHash(makeSubmission()));
        assert.notEqual(contentHash(inputs), contentHash(makeSubmission({ array: { count: 3 } })));
    });

    it("is another job if any element of an array before it has another job", () => {
        const hash = (jobIds: readonly string[]) => contentHash(makeSubmission({ after: [{ jobId: "f1", jobIds }] }));
        assert.notEqual(hash(["f1", "f2"]), hash(["f1", "f3"]));
        assert.equal(hash(["f1", "f2"]), hash(["f1", "f2"]));
    });

    it("has a dependency on each element of a small array, and refuses a large one that hasn't ended", () => {
        const words = (after: FluxSubmissionInputs["after"]) => submitCall(makeSubmission({ after })).slice(6, -2);
        assert.deepEqual(words([{ jobId: "f1", jobIds: ["f1", "f2"], end: "any" }]), [
            "--dependency=afterany:f1",
            "--dependency=afterany:f2",
        ]);
        assert.deepEqual(words([{ jobId: "f1", jobIds: [], phase: "succeeded" }]), []);
        assert.throws(() => words([{ jobId: "f1", jobIds: [], phase: "pending" }]), {
            message:
                "after[0] is an array that has more than 100 elements or isn't complete, and hasn't ended; Flux needs a dependency on each. Let it wait for its end (wait: true)",
        });
    });
});

describe("ArrayQueue", () => {
    /** Runs a call of a queue whose lead prints these lines and ends with this code. */
    async function ask<T>(act: (queue: ArrayQueue) => Promise<T>, stdout: object | string, code = 0, stderr = "") {
        const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
        const fake = await FakeExec.start({
            command: (socket) => {
                socket.send(printed(1, text));
                socket.send(printed(2, stderr));
                socket.send(endOf(code));
            },
        });
        try {
            const lead = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };
            return await act(
                new ArrayQueue(connect({ kubeconfig: fake.kubeconfig }), lead, new AbortController().signal),
            );
        } finally {
            await fake.stop();
        }
    }
    const submit = (queue: ArrayQueue) =>
        queue.submit(inputs, { begun: false, indexes: new Set([0, 1, 2]), rerun: false });
    const nothing = { busy: 0, left: 0, forgotten: 0, found: 0, remaining: 3, error: null, jobId: null, jobIds: [] };
    const submitted = { ...nothing, found: 2, remaining: 1, jobId: "f1", jobIds: ["f1", "f2"] };

    it("returns what Flux has, and the first element that Flux has refused", async () => {
        const { refused, ...known } = await ask(submit, submitted);
        assert.deepEqual(
            [known, refused],
            [{ left: 0, remaining: 1, submitted: 2, jobId: "f1", jobIds: ["f1", "f2"] }, undefined],
        );
        const other = await ask(submit, { ...submitted, error: { index: 2, text: "too many jobs" } });
        assert.equal(other.refused?.message, 'Flux did not accept element 2 ("c"): too many jobs');
    });

    it("fails if Flux has refused all elements, or the options of the array", async () => {
        const none = { ...nothing, error: { index: 0, text: "no queue" } };
        await assert.rejects(ask(submit, none), { message: 'Flux did not accept element 0 ("a"): no queue' });
        await assert.rejects(ask(submit, "", 1, "flux-submit: ERROR: --requires: wrong\n"), {
            message: "Flux did not accept the array: --requires: wrong",
        });
    });

    it("fails if Flux has forgotten elements, and names its limits", async () => {
        await assert.rejects(ask(submit, { ...submitted, forgotten: 1000 }), {
            message:
                "Flux removed 1,000 elements from its history before all were submitted. Raise job-manager.inactive-num-limit and inactive-age-limit above the size and the duration of the array",
        });
    });

    it("repeats a call whose pod has ended", async () => {
        const isPassing = { message: "the command in the lead was killed", code: "ECONNRESET" };
        await assert.rejects(ask(submit, "", 137), isPassing);
        await assert.rejects(ask(submit, "", 143), isPassing);
    });

    it("reads the last line, after those of other programs, and says why it can't", async () => {
        const progress = await ask(
            (queue) => queue.watch(inputs, 1),
            `a profile prints\n${JSON.stringify(answer())}\n`,
        );
        assert.equal(progress?.phase, "succeeded");
        await assert.rejects(
            ask((queue) => queue.watch(inputs, 1), "", 1, "flux-array: ERROR: [Errno 38] Function not implemented\n"),
            { message: "the array can't be read: [Errno 38] Function not implemented" },
        );
    });
});
