import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ARRAY_PROGRAM } from "../../../../provider/fluxSubmission/arrayQueue";

/** Flux' bindings, as far as these calls need them. The instance knows the jobs of FLUX_JOBS and accepts any other. */
const BINDINGS = `
import errno, json, os

class Future:
    def __init__(self, answer): self.answer = answer
    def then(self, callback, *words): callback(self, *words)
    def get_job(self):
        if self.answer is None: raise OSError(errno.ENOENT, "no such job")
        return self.answer
    def get_id(self): return self.answer

class Flux:
    def attr_get(self, name): return "1"
    def reactor_run(self): pass

class List:
    def get_jobs(self): return [dict(job) for job in JOBS]

JOBS = json.loads(os.environ["FLUX_JOBS"])
LATER = iter(range(1000, 2000))

def job_list(handle, **_): return List()
def job_list_id(handle, jobid, **_): return Future(None)
def submit_async(handle, spec, **_):
    print("submits", json.loads(spec)["attributes"]["user"]["minicluster"]["index"])
    return Future(next(LATER))

class JobID:
    def __init__(self, jobid): self.f58plain = f"f{jobid}"
`;
const CONSTANTS = "FLUX_JOB_STATE_INACTIVE = 64\nFLUX_JOB_STATE_RUNNING = 48\nFLUX_JOB_RESULT_COMPLETED = 1\n";

describe("array.py", () => {
    const name = "n0123456789abcdef";
    const request = { name: "solve", key: name, listed: 100, failures: 10, count: 3, hash: "h" };
    const ended = (id: number, result = 1) => ({ id, state: 64, result, waitstatus: 0 });
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "array-"));
        mkdirSync(join(folder, "flux"));
        for (const [file, text] of Object.entries({
            __init__: BINDINGS,
            job: "from . import *\n",
            constants: CONSTANTS,
        })) {
            writeFileSync(join(folder, "flux", `${file}.py`), text);
        }
        mkdirSync(join(folder, "bin"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    /** Makes the program remember the indexes of jobs, by their ids. */
    const remember = (indexes: Record<number, number>) => {
        const jobs = Object.fromEntries(Object.entries(indexes).map(([id, index]) => [id, [index, request.hash]]));
        writeFileSync(join(folder, `${name}.elements`), JSON.stringify({ broker: "1", jobs }));
    };

    /** Runs a call, with this text of the program `flux`. Returns the printed lines. */
    const run = (call: object, jobs: readonly object[], flux = "") => {
        writeFileSync(join(folder, "bin/flux"), `#!/bin/sh\n${flux}\n`, { mode: 0o755 });
        // The lead's memory, in KiB. Each thread reserves much that it doesn't use.
        const limited = ["-c", 'ulimit -v 1000000; exec python3 -c "$@"', "bash", ARRAY_PROGRAM, folder];
        const env = {
            ...process.env,
            FLUX_JOBS: JSON.stringify(jobs),
            PATH: `${join(folder, "bin")}:${process.env.PATH}`,
            PYTHONPATH: folder,
        };
        const options = { encoding: "utf8", env, input: JSON.stringify({ ...request, ...call }) } as const;
        return execFileSync("bash", limited, options).trimEnd().split("\n");
    };
    const answerOf = (lines: readonly string[]) => JSON.parse(lines.at(-1)!) as Record<string, unknown>;

    describe("submit", () => {
        const submit = { call: "submit", rerun: false, begun: false, values: null, urgency: 16 };
        const system = { environment: {}, shell: { options: {} } };
        const template = { attributes: { system, user: { minicluster: {} } }, tasks: [] };
        const call = { ...submit, template };

        it("submits the elements that Flux doesn't have, also those that it has forgotten before", () => {
            remember({ 1: 0, 2: 1 });
            const lines = run(call, [ended(2)]);
            assert.deepEqual(lines.slice(0, -1), ["submits 0", "submits 2"]);
            const { forgotten, found, jobIds } = answerOf(lines);
            assert.deepEqual([forgotten, found, jobIds], [0, 3, ["f1000", "f2", "f1001"]]);
        });

        it("submits nothing if Flux has forgotten elements since the last part", () => {
            remember({ 1: 0, 2: 1 });
            const lines = run({ ...call, begun: true }, []);
            assert.equal(lines.length, 1);
            assert.equal(answerOf(lines).forgotten, 2);
        });

        it("submits the other elements in the next update", () => {
            remember({ 1: 0, 2: 1 });
            run({ ...call, begun: true }, [ended(2)]);
            assert.deepEqual(run(call, [ended(2)]).slice(0, -1), ["submits 0", "submits 2"]);
        });

        it("goes on if a forgotten job was not the only one of its element", () => {
            remember({ 1: 0, 2: 0, 3: 1 });
            assert.deepEqual(run({ ...call, begun: true }, [ended(2), ended(3)]).slice(0, -1), ["submits 2"]);
        });
    });

    describe("logs", () => {
        const call = { call: "logs", maxBytes: 26, failureBytes: 9 };

        it("has the ends of the last logs, without Flux' own message", () => {
            remember({ 1: 0, 2: 1, 3: 2 });
            const flux = 'echo "first of $4"; echo "last of $4"; echo "flux-job: task(s) 0: exit code 1"';
            const answer = answerOf(run(call, [ended(1), ended(2, 2), ended(3)], flux));
            assert.deepEqual(answer, { failures: ["ast of 2\n"], output: "2: first of 3\n2: last of 3\n".slice(-26) });
        });

        it("needs little memory for a large log", () => {
            remember({ 1: 0 });
            const answer = answerOf(run(call, [ended(1, 2)], "yes abc | head -c 400000000"));
            assert.deepEqual(answer, {
                failures: ["\nabc\nabc\n"],
                output: ": abc\n0: abc\n0: abc\n0: abc\n".slice(-26),
            });
        });
    });
});
