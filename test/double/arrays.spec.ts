import assert from "node:assert/strict";

import fc from "fast-check";

import { FAILURE_BYTES, MOST_FAILURES, MOST_LISTED } from "../../provider/flux/elements";
import { submitArrayCall } from "../../provider/flux/script";
import { ARRAY_PROGRAM } from "../../provider/flux/programs";
import type { FluxSubmissionInputs } from "../../provider/fluxSubmission/properties";
import { makeSubmission } from "../unit/support/submissions";
import { TestAgent } from "./support/agent";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript, startScript } from "./support/jobScript";

/** task.sh removes the marks of braces. */
const TASK = "marked=$'{\\001'; exec \"${@//$marked/{}\"\n";

describe("Arrays in an instance of two brokers", function () {
    this.timeout(120_000);
    const instance = withSharedInstance({ size: 2, cores: "0-3" });
    let made = 0;

    before(async () => {
        await instance().idle(2);
        instance().write("scripts/task.sh", TASK);
    });

    /** An array with a nonce of its own. */
    const arrayOf = (overrides: Partial<FluxSubmissionInputs>) =>
        makeSubmission({ nonce: `n${++made}`, jobName: `sweep${made}`, ...overrides });

    const env = () => ({ MINICLUSTER_SCRIPTS: instance().path("scripts"), MINICLUSTER_EXCLUSIVE: "true" });

    /** Runs a call of job.sh as the provider does. */
    async function call(words: readonly string[]): Promise<any> {
        const ended = await callScript(instance(), words, env());
        assert.equal(ended.code, 0, ended.stderr);
        return JSON.parse(ended.stdout.trim().split("\n").at(-1)!);
    }

    const requestOf = (name: string, { array, jobName, nonce: key }: FluxSubmissionInputs, more: object = {}) => ({
        call: name,
        name: jobName,
        key,
        count: array!.values?.length ?? array!.count,
        listed: MOST_LISTED,
        failures: MOST_FAILURES,
        ...more,
    });

    function submissionOf(inputs: FluxSubmissionInputs, more: object = {}): string[] {
        const [hash, ...accepted] = submitArrayCall("", {}, inputs)[5].split(" ");
        const size = inputs.array!.values?.length ?? inputs.array!.count ?? 0;
        const wanted = { hash, accepted, indexes: `0-${size - 1}`, refuse: true, rerun: false, begun: false };
        const rest = { ...wanted, values: inputs.array!.values ?? null, urgency: 16, ...more };
        return submitArrayCall(ARRAY_PROGRAM, requestOf("submit", inputs, rest), inputs);
    }

    const submit = (inputs: FluxSubmissionInputs, more: object = {}) => call(submissionOf(inputs, more));

    const ask = (name: string, inputs: FluxSubmissionInputs, more: object = {}) =>
        call([
            `${name === "remove" ? name : "run"}_array`,
            ARRAY_PROGRAM,
            JSON.stringify(requestOf(name, inputs, { refuse: false, ...more })),
            inputs.nonce,
        ]);

    async function finish(inputs: FluxSubmissionInputs): Promise<any> {
        for (;;) {
            const looked = await ask("watch", inputs, { seconds: 10 });
            if (looked.pending + looked.running === 0) {
                return looked;
            }
        }
    }

    const logs = (inputs: FluxSubmissionInputs) =>
        ask("logs", inputs, { maxBytes: 10_000, failureBytes: FAILURE_BYTES });

    it("give each element its index and value, in variables and in place of tags, and secrets beside the jobspec", async () => {
        const text = 'echo "$FLUX_JOB_CC" "$FLUXJOB_VALUE" "$A" "$1" ${#TOKEN}; [ "$FLUX_JOB_CC" != 1 ] || exit 7';
        const inputs = arrayOf({
            array: { values: ["a", "{{id}} it's", "a"] },
            command: ["sh", "-c", text, "sh", "{{index}}-{{value}}-{{other}}"],
            environment: { A: "<{{value}}>" },
            secretEnvironment: { TOKEN: "hush hush" },
        });
        const { error, found, jobIds } = await submit(inputs);
        assert.deepEqual([found, error, jobIds.length], [3, null, 3]);
        const { stdout: jobspec } = await instance().flux("job", "info", jobIds[1], "jobspec");
        assert.match(jobspec, /"index": ?1\b/);
        assert.doesNotMatch(jobspec, /hush/);
        const looked = await finish(inputs);
        assert.deepEqual([looked.succeeded, looked.failed, looked.statuses], [2, 1, [0, 7 << 8]]);
        assert.deepEqual(looked.failures, [{ index: 1, jobId: jobIds[1], status: 7 << 8, exception: null }]);
        assert.deepEqual(await logs(inputs), {
            failures: { 1: "1 {{id}} it's <{{id}} it's> 1-{{id}} it's-{{other}} 9\n" },
            output: "0: 0 a <a> 0-a-{{other}} 9\n1: 1 {{id}} it's <{{id}} it's> 1-{{id}} it's-{{other}} 9\n2: 2 a <a> 2-a-{{other}} 9\n",
        });
    });

    it("start no bash in their elements, unless words have braces or GPUs have names of their own", async () => {
        const commandOf = async (words: readonly string[]) => {
            const inputs = arrayOf({ array: { count: 1 }, command: words });
            const { jobIds } = await submit(inputs);
            assert.equal((await finish(inputs)).succeeded, 1);
            const { stdout } = await instance().flux("job", "info", jobIds[0], "jobspec");
            return JSON.parse(stdout).tasks[0].command;
        };
        assert.deepEqual(await commandOf(["echo", "$HOME *"]), ["echo", "$HOME *"]);
        assert.equal((await commandOf(["echo", "{"]))[0], "bash");
        instance().write("scripts/gpus-amd.sh", "");
        try {
            assert.equal((await commandOf(["true"]))[0], "bash");
        } finally {
            await inside(["rm", instance().path("scripts/gpus-amd.sh")]);
        }
    });

    it("have a file for each element, and a dependency of each", async () => {
        const path = instance().path("out");
        const first = arrayOf({ array: { count: 3 }, command: ["sleep", "0.1"], urgency: 0 });
        const { jobIds } = await submit(first, { urgency: 0 });
        const inputs = arrayOf({
            array: { count: 2 },
            command: ["echo", "{{index}}"],
            outputFile: `${path}-{{index}}`,
            after: [{ jobId: jobIds[0], jobIds }],
        });
        await submit(inputs);
        assert.equal((await ask("watch", inputs, { seconds: 0 })).pending, 2);
        await inside(["sh", "-c", `for id in ${jobIds.join(" ")}; do flux job urgency $id 16; done`], {
            env: { FLUX_URI: instance().uri() },
        });
        assert.equal((await finish(inputs)).succeeded, 2);
        assert.equal((await ask("watch", first, { seconds: 0 })).succeeded, 3);
        const { stdout } = await inside(["sh", "-c", `cat ${path}-0 ${path}-1`]);
        assert.equal(stdout, "0\n1\n");
    });

    it("are not submitted if the connection has ended before", async () => {
        const inputs = arrayOf({ array: { count: 3 }, command: ["true"] });
        const running = await startScript(instance(), submissionOf(inputs), env());
        running.endInput();
        assert.deepEqual(await running.ended, { code: 1, stdout: "", stderr: "" });
        assert.equal((await ask("watch", inputs, { seconds: 0 })).found, 0);
    });

    it("are known to the agent by their nonce, until they are removed", async () => {
        const inputs = arrayOf({ nonce: "m1", array: { count: 3 }, command: ["sleep", "1000"] });
        const agent = await TestAgent.start(instance(), env());
        const sweep = async () => (await agent.ask("sweep", "m1", inputs.jobName, "allow")).code;
        const job = ["submit", inputs.jobName, "m1", "k1", "allow", "", "--", "true"];
        assert.equal(await sweep(), 0);
        await submit(inputs);
        assert.deepEqual([await sweep(), (await agent.ask(...job)).code], [67, 67]);
        assert.equal((await ask("watch", inputs, { seconds: 0 })).found, 3);
        await ask("remove", inputs);
        const { code, out } = await agent.ask(...job);
        assert.deepEqual([code, await agent.ask("watch", out, "m1", "clean", "20").then((of) => of.code)], [0, 0]);
        // An array in the place of a job removes it.
        assert.equal((await submit(inputs)).found, 3);
        assert.equal((await agent.ask("watch", out, "m1", "", "0")).code, 64);
        await ask("remove", inputs);
        assert.deepEqual([await sweep(), await agent.end()], [0, 0]);
    });

    it("are resumed with only the missing elements, whichever exist", async () => {
        const size = 12;
        await fc.assert(
            fc.asyncProperty(fc.subarray([...Array(size).keys()]), fc.boolean(), async (gone, forgets) => {
                const inputs = arrayOf({ array: { count: size }, command: ["true"] });
                await submit(inputs);
                const before = await finish(inputs);
                if (gone.length > 0) {
                    const ids = gone.map((index) => before.jobIds[index]);
                    await instance().flux("job", "purge", "--force", ...ids);
                }
                if (forgets) {
                    await inside(["rm", instance().path(`run/jobs/${inputs.nonce}.elements`)]);
                }
                const { found, jobIds } = await submit(inputs);
                assert.equal(found, size);
                const renewed = jobIds.flatMap((id: string, index: number) =>
                    id === before.jobIds[index] ? [] : [index],
                );
                assert.deepEqual(renewed, gone);
                assert.equal((await finish(inputs)).succeeded, size);
            }),
            { numRuns: 6 },
        );
    });

    it("run only failed elements again, if asked to", async () => {
        const flag = instance().path("flag");
        const command = ["sh", "-c", `[ $FLUX_JOB_CC != 2 ] || [ -e ${flag} ]`];
        const inputs = arrayOf({ array: { count: 4 }, command });
        await submit(inputs);
        const before = await finish(inputs);
        assert.deepEqual([before.failed, before.failures[0].index], [1, 2]);
        assert.deepEqual((await submit(inputs)).jobIds, before.jobIds);
        await inside(["touch", flag]);
        const { jobIds } = await submit(inputs, { rerun: true });
        assert.deepEqual(
            jobIds.filter((id: string) => !before.jobIds.includes(id)),
            [jobIds[2]],
        );
        assert.equal((await finish(inputs)).succeeded, 4);
    });

    it("run only the wanted elements, although Flux has lost all", async () => {
        const inputs = arrayOf({ array: { count: 6 }, command: ["true"], secretEnvironment: { TOKEN: "hush" } });
        assert.equal((await submit(inputs, { indexes: "1,4-5", rerun: true })).found, 3);
        const { missingIndexes, succeeded } = await finish(inputs);
        assert.deepEqual([missingIndexes, succeeded], ["0,2-3", 3]);
        await inside(["test", "!", "-e", instance().path(`run/jobs/${inputs.nonce}.env`)]).then(({ code }) =>
            assert.equal(code, 0),
        );
    });

    it("replace elements with another content, and leave the jobs of others alone", async () => {
        const inputs = arrayOf({ array: { count: 3 }, command: ["sleep", "1000"] });
        const other = { ...inputs, nonce: "nother" };
        const kept = await submit(other);
        await submit(inputs);
        let running = 0;
        while (running === 0) {
            ({ running } = await ask("watch", inputs, { seconds: 0.2 }));
        }
        const changed = { ...inputs, command: ["true"], array: { count: 2 } };
        assert.ok((await submit(changed)).busy > 0);
        assert.ok((await ask("remove", inputs, { refuse: true })).busy > 0);
        assert.equal((await ask("watch", inputs, { seconds: 0 })).found, 3);
        assert.equal((await submit(changed, { refuse: false })).found, 2);
        assert.equal((await finish(changed)).succeeded, 2);
        const looked = await ask("watch", other, { seconds: 0 });
        assert.deepEqual([looked.found, looked.jobIds], [3, kept.jobIds]);
        assert.deepEqual(await ask("remove", other), { busy: 0, left: 0 });
    });

    it("are cancelled and removed, and told about if Flux refuses them", async () => {
        const inputs = arrayOf({ array: { count: 20 }, command: ["sleep", "1000"] });
        await submit(inputs);
        assert.deepEqual(await ask("remove", inputs), { busy: 0, left: 0 });
        assert.equal((await ask("watch", inputs, { seconds: 0 })).found, 0);
        assert.deepEqual(await ask("remove", inputs), { busy: 0, left: 0 });
        const { error, found } = await submit(arrayOf({ array: { count: 2 }, command: ["true"], fluxQueue: "none" }));
        assert.deepEqual([found, error.index], [0, 0]);
        assert.match(error.text, /'none' is not a valid queue|Invalid queue 'none' specified/);
    });

    it("tell why an element has failed that never ran, or was cancelled", async () => {
        const inputs = arrayOf({ array: { count: 1 }, command: ["true"], nodes: 5 });
        await submit(inputs);
        const { failures } = await finish(inputs);
        assert.equal(failures[0].status, null);
        assert.match(failures[0].exception.note, /unsatisfiable request/);
        const other = arrayOf({ array: { count: 1 }, command: ["sleep", "1000"] });
        const { jobId } = await submit(other);
        await instance().flux("cancel", jobId);
        assert.equal((await finish(other)).failures[0].exception.type, "cancel");
    });
});
