import assert from "node:assert/strict";

import { pack } from "../../../../provider/code/pack";
import { archiveName, type JobCode } from "../../../../provider/contract/code/code";
import { NO_CODE } from "../../../../provider/flux/protocol";
import type { FluxSubmissionInputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { type Answer, FakeLead } from "../../support/fakeLead";
import { codeOfJob, fill, useFolders } from "../../support/folder";
import { newOperation } from "../../support/newOperation";
import { makeSubmission, makeSubmitted } from "../../support/submissions";

describe("fluxSubmission with code", () => {
    const { log } = console;
    const folder = useFolders();
    let said: string[];
    let lead: FakeLead;
    /** What the lead has. */
    let known: Set<string>;
    /** The answer to a call that sends code. */
    let stored: Answer;

    beforeEach(async () => {
        [said, known, stored] = [[], new Set(), 0];
        console.log = (line: string) => said.push(line);
        lead = await FakeLead.start((words) => answerTo(words));
    });

    afterEach(async () => {
        console.log = log;
        newOperation();
        await lead.stop();
    });

    function answerTo([name, ...words]: readonly string[]): Answer {
        if (name === "put_code") {
            known.add(words[0]);
            return stored;
        }
        if (name === "submit") {
            const archive = words
                .find((word) => word.startsWith("--setattr=user.minicluster.code="))
                ?.split("=")
                .at(-1);
            return archive === undefined || known.has(archive) ? `f${words[1]}` : NO_CODE;
        }
        if (name === "submit_array") {
            const nothing = { busy: 0, left: 0, forgotten: 0, remaining: 0, error: null, jobId: "f1", jobIds: ["f1"] };
            const archive = words
                .find((word) => word.startsWith("--setattr=user.minicluster.code="))
                ?.split("=")
                .at(-1);
            return JSON.stringify({ ...nothing, found: 1, lacksCode: !known.has(archive ?? "") });
        }
        return 64;
    }

    const inputsOf = (code: JobCode, more: Partial<FluxSubmissionInputs> = {}) =>
        makeSubmission({ kubeconfig: lead.kubeconfig, wait: false, code, ...more });
    const sendings = () => lead.called.filter((name) => name === "put_code").length;

    it("sends the files before the job is submitted, once for all jobs with equal files", async () => {
        const jobs = ["m1", "m2", "m3"].map((nonce) => inputsOf(codeOfJob(folder({ "main.py": "1" })), { nonce }));
        const created = await Promise.all(jobs.map((inputs) => fluxSubmission.create(inputs)));
        assert.deepEqual(
            created.map(({ outs }) => outs.jobId),
            ["fm1", "fm2", "fm3"],
        );
        assert.equal(sendings(), 1);
        const later = inputsOf(codeOfJob(folder({ "main.py": "1" })), { nonce: "m4" });
        await fluxSubmission.create(later);
        assert.equal(sendings(), 1);
    });

    it("tells the lead the archive, its hash and its packed size", async () => {
        const code = codeOfJob(folder({ "main.py": "print(1)" }));
        await fluxSubmission.create(inputsOf(code));
        const [, name, hash, size] = lead.calls.find(([call]) => call === "put_code") ?? [];
        assert.deepEqual([name, hash, Number(size)], [archiveName(code), code.hash, (await pack(code)).length]);
    });

    it("sends the files of an array once", async () => {
        const { outs } = await fluxSubmission.create(inputsOf(codeOfJob(folder({ a: "1" })), { array: { count: 1 } }));
        assert.deepEqual([outs.jobId, sendings()], ["f1", 1]);
    });

    it("submits nothing and sends nothing if the folder has changed since the program has read it", async () => {
        const source = folder({ "main.py": "1", "b.py": "1" });
        const inputs = inputsOf(codeOfJob(source));
        fill(source, { "main.py": "2" });
        await assert.rejects(fluxSubmission.create(inputs), {
            message:
                `The job can't be submitted to MiniCluster hpc/lammps: the folder ${source} has changed since this update has ` +
                "read it (changed: main.py). Run the update again, to see the change in its preview.",
        });
        assert.equal(sendings(), 0);
    });

    it("says why the lead could not store the files", async () => {
        stored = 1;
        const inputs = inputsOf(codeOfJob(folder({ a: "1" })));
        await assert.rejects(fluxSubmission.create(inputs), /: the lead could not store its code: .*ERROR: no\.$/);
    });

    it("is submitted again if a file changes, and not if the folder has another path", async () => {
        const olds = makeSubmitted({ code: codeOfJob(folder({ a: "1" })) });
        const diff = (files: Record<string, string>) =>
            fluxSubmission.diff("id", olds, makeSubmission({ code: codeOfJob(folder(files)) }));
        assert.deepEqual((await diff({ a: "2" })).replaces, ["code"]);
        assert.deepEqual((await diff({ a: "1" })).changes, false);
    });

    it("tells a preview which files differ", async () => {
        const olds = inputsOf(codeOfJob(folder({ a: "1", b: "1" })));
        const check = (files: Record<string, string>) => fluxSubmission.check(olds, inputsOf(codeOfJob(folder(files))));
        await check({ a: "1", b: "1" });
        assert.deepEqual(said, []);
        await check({ a: "2", c: "1" });
        assert.deepEqual(said, ["solve: code: 2 files, 2 bytes", "solve: code: changed: a; added: c; removed: b"]);
    });
});
