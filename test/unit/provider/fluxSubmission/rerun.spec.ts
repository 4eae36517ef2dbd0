import assert from "node:assert/strict";

import type { ElementsStatus } from "../../../../provider/contract/elementsStatus";
import { formatIdset, parseIdset } from "../../../../provider/flux/idset";
import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { FakeLead } from "../../support/fakeLead";
import { makeSubmission, makeSubmitted } from "../../support/submissions";

describe("an idset", () => {
    for (const [text, indexes] of [
        ["", []],
        ["3,7-9", [3, 7, 8, 9]],
        ["0-2", [0, 1, 2]],
    ] as [string, number[]][]) {
        it(`has ${JSON.stringify(indexes)} as "${text}"`, () => {
            assert.equal(formatIdset(new Set(indexes.toReversed())), text);
            assert.deepEqual([...parseIdset(text)], indexes);
        });
    }
});

/** The elements that a fake Flux has, by their indexes. */
type Elements = Record<number, "failed" | "pending" | "succeeded">;

describe("fluxSubmission of a job whose result is recorded", () => {
    const { log } = console;
    let lead: FakeLead;
    let warnings: string[];
    let flux: Elements;
    let count: number;
    /** The end of the elements that are submitted. */
    let next: "failed" | "succeeded";

    beforeEach(async () => {
        warnings = [];
        console.log = (line: string) => warnings.push(line);
        [flux, count, next] = [{}, 3, "succeeded"];
        lead = await FakeLead.start(([name, request]) => (name === "watch" ? 64 : JSON.stringify(answerTo(request))));
    });

    afterEach(async () => {
        console.log = log;
        await lead.stop();
    });

    function answerTo(request: string): object {
        const { call, indexes, rerun } = JSON.parse(request);
        if (call === "submit") {
            for (const index of parseIdset(indexes)) {
                flux[index] = rerun && flux[index] === "failed" ? next : (flux[index] ?? next);
            }
            return { busy: 0, left: 0, forgotten: 0, remaining: 0, error: null, ...found() };
        }
        if (call === "logs") {
            return { failures: {}, output: "" };
        }
        const of = (end: string) => formatIdset(indexesOf(flux).filter((index) => flux[index] === end));
        const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !(index in flux));
        const failures = [...parseIdset(of("failed"))].map((index) => ({
            index,
            jobId: `f${index}`,
            status: 256,
            exception: null,
        }));
        return {
            ...found(),
            running: 0,
            pending: parseIdset(of("pending")).size,
            failedIndexes: of("failed"),
            unfinishedIndexes: of("pending"),
            missingIndexes: formatIdset(missing),
            statuses: [],
            failures: failures.slice(0, 10),
        };
    }

    const indexesOf = (of: Elements) => Object.keys(of).map(Number);
    const found = () => ({
        found: indexesOf(flux).length,
        jobId: 0 in flux ? "f0" : null,
        jobIds: count <= 100 ? indexesOf(flux).map((index) => `f${index}`) : ["f0"],
    });
    const submits = () => lead.calls.filter(([name]) => name === "submit_array").map(([, text]) => JSON.parse(text));
    const failure = (index: number) => ({
        index,
        jobId: `f${index}`,
        exitCode: 1,
        reason: "exit code 1",
        output: "why\n",
    });
    const failed = (size: number, ...indexes: number[]): ElementsStatus => ({
        count: size,
        submitted: size,
        pending: 0,
        running: 0,
        succeeded: size - indexes.length,
        failed: indexes.length,
        failures: indexes.slice(0, 10).map(failure),
        failedIndexes: formatIdset(indexes),
        unfinishedIndexes: "",
    });
    const inputs = (overrides: Partial<FluxSubmissionInputs>) =>
        makeSubmission({ kubeconfig: lead.kubeconfig, ...overrides });
    const olds = (overrides: Partial<FluxSubmissionOutputs>) =>
        makeSubmitted({ kubeconfig: lead.kubeconfig, phase: "failed", exitCode: 3, ...overrides });
    /** An update that fails: its error, with the outputs that Pulumi keeps. */
    const fails = (of: FluxSubmissionOutputs, news: FluxSubmissionInputs) =>
        fluxSubmission.update("id", of, news).then(
            () => assert.fail("the update succeeds"),
            (error: Error & { properties?: FluxSubmissionOutputs }) => error,
        );

    it("fails from the record of a job with rerunFailed: false, although Flux has lost the job", async () => {
        const before = olds({ reason: "exit code 3", output: "why\n" });
        const { message, properties } = await fails(before, inputs({ rerunFailed: false }));
        assert.equal(
            message,
            "Flux job f26Zqx of MiniCluster hpc/lammps failed: exit code 3.\nThe end of its output:\n  why",
        );
        assert.deepEqual(
            [properties?.phase, properties?.exitCode, properties?.output, properties?.rerunFailed],
            ["failed", 3, "why\n", false],
        );
        assert.deepEqual(lead.calls, []);
    });

    const array = (size: number) => {
        count = size;
        return { array: { count: size } };
    };

    it("fails from the record of an array with rerunFailed: false, and submits nothing", async () => {
        const before = olds({ ...array(1000), elements: failed(1000, 3, 7) });
        const { message, properties } = await fails(before, inputs({ ...array(1000), rerunFailed: false }));
        assert.match(message, /^2 of 1,000 elements of array solve .* failed\.\nElement 3, job f3: exit code 1\./);
        assert.deepEqual([properties?.phase, properties?.elements], ["failed", before.elements]);
        assert.deepEqual(lead.calls, []);
    });

    it("submits only the failed elements, although Flux has lost all, and says so in the preview", async () => {
        const before = olds({ ...array(1000), elements: failed(1000, 3, 7) });
        await fluxSubmission.diff("id", before, inputs(array(1000)));
        assert.deepEqual(warnings, ["solve: 2 of 1,000 elements are submitted again: they failed."]);
        const { outs } = await fluxSubmission.update("id", before, inputs(array(1000)));
        assert.deepEqual(
            submits().map(({ indexes, rerun }) => [indexes, rerun]),
            [["3,7", true]],
        );
        const { failed: left, submitted, succeeded } = outs.elements!;
        assert.deepEqual([outs.phase, succeeded, left, submitted, outs.jobId], ["succeeded", 1000, 0, 2, "f26Zqx"]);
    });

    it("keeps the index of an element that fails again", async () => {
        next = "failed";
        const before = olds({ ...array(3), elements: failed(3, 1) });
        const { message, properties } = await fails(before, inputs(array(3)));
        assert.match(message, /^1 of 3 elements /);
        assert.deepEqual([properties?.phase, properties?.elements?.failedIndexes], ["failed", "1"]);
    });

    it("submits only lost and failed elements of an array that was lost while it ran", async () => {
        const elements = { ...failed(5, 1), submitted: 0, succeeded: 2, unfinishedIndexes: "3-4" };
        const before = olds({ ...array(5), phase: "lost", elements });
        await fluxSubmission.diff("id", before, inputs(array(5)));
        assert.deepEqual(warnings, [
            "solve: 2 of 5 elements are submitted, which its cluster doesn't have.",
            "solve: 1 of 5 elements are submitted again: they failed.",
        ]);
        const { outs } = await fluxSubmission.update("id", before, inputs(array(5)));
        assert.deepEqual([submits()[0].indexes, outs.phase], ["1,3-4", "succeeded"]);
        flux = {};
        const once = await fails(before, inputs({ ...array(5), rerunFailed: false }));
        assert.deepEqual([submits()[1].indexes, once.properties?.phase], ["3-4", "failed"]);
        assert.equal(once.properties?.elements?.failures[0].output, "why\n");
    });

    it("keeps the record of ended elements when Flux loses all while the update waits, and when a refresh sees it", async () => {
        const running = { ...failed(4, 0), submitted: 4, pending: 1, succeeded: 2, unfinishedIndexes: "3" };
        const before = olds({ ...array(4), phase: "running", elements: running });
        const { message, properties } = await fails(before, inputs(array(4)));
        assert.match(message, /^1 of 4 elements of array solve .* were lost/);
        const left = { phase: "lost", failedIndexes: "0", unfinishedIndexes: "3" };
        const shown = (of?: FluxSubmissionOutputs) => ({
            phase: of?.phase,
            failedIndexes: of?.elements?.failedIndexes,
            unfinishedIndexes: of?.elements?.unfinishedIndexes,
        });
        assert.deepEqual(shown(properties), left);
        assert.deepEqual(shown((await fluxSubmission.read("id", before)).props), left);
    });
});
