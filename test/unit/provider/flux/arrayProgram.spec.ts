import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ARRAY_PROGRAM } from "../../../../provider/flux/programs";

/** Flux' bindings, as far as these calls need them. The instance knows the jobs of FLUX_JOBS and accepts any other. */
const BINDINGS = `
import errno, json, os

class Future:
    def __init__(self, answer): self.answer = answer
    def then(self, callback, *words): callback(self, *words)
    def get_job(self):
        if self.answer is None: raise OSError(errno.ENOENT, "no such job")
        return self.get()
    def get_id(self): return self.answer
    def get(self):
        if isinstance(self.answer, OSError): raise self.answer
        return self.answer

class Flux:
    def attr_get(self, name): return "1"
    def reactor_run(self): pass
    def rpc(self, topic, payload):
        if "PURGE_ERROR" in os.environ: return Future(OSError(int(os.environ["PURGE_ERROR"]), "not removed"))
        print("purges", payload["id"])
        JOBS[:] = [job for job in JOBS if job["id"] != payload["id"]]
        return Future({})

class List:
    def get_jobs(self): return [dict(job) for job in JOBS]

JOBS = json.loads(os.environ["FLUX_JOBS"])
LATER = iter(range(1000, 2000))

def job_list(handle, **_): return List()
def job_list_id(handle, jobid, **_):
    return Future(OSError(int(os.environ["FLUX_ERROR"]), "no answer") if "FLUX_ERROR" in os.environ else None)
def job_info_lookup(handle, jobid, **_): return job_list_id(handle, jobid)
def cancel_async(handle, jobid):
    print("cancels", jobid)
    for job in JOBS:
        if job["id"] == jobid: job.update(state=64, result=4)
    return Future({})
def submit_async(handle, spec, **_):
    print("submits", json.loads(spec)["attributes"]["user"]["minicluster"]["index"])
    return Future(next(LATER))

class JobID:
    def __init__(self, jobid): self.f58plain, self.kvs = f"f{jobid}", f"job.{jobid}"
`;
const CONSTANTS = "FLUX_JOB_STATE_INACTIVE = 64\nFLUX_JOB_STATE_RUNNING = 48\nFLUX_JOB_RESULT_COMPLETED = 1\n";

/** A store that keeps its entries in a file. */
const KVS = `
import errno, json, os

def load():
    return json.load(open("entries")) if os.path.exists("entries") else {}
def get(handle, key):
    if key not in load(): raise OSError(errno.ENOENT, "no such key")
    return load()[key]
def put(handle, key, value):
    json.dump({**load(), key: value}, open("entries", "w"))
def put_unlink(handle, key):
    json.dump({name: value for name, value in load().items() if name != key}, open("entries", "w"))
def commit(handle): pass
`;

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
            kvs: KVS,
        })) {
            writeFileSync(join(folder, "flux", `${file}.py`), text);
        }
        mkdirSync(join(folder, "bin"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    /** Makes the program remember the indexes of jobs, by their ids. */
    const remember = (indexes: Record<number, number>, hash = request.hash) => {
        const jobs = Object.fromEntries(Object.entries(indexes).map(([id, index]) => [id, [index, hash]]));
        writeFileSync(join(folder, `${name}.elements`), JSON.stringify({ broker: "1", jobs }));
    };

    /** Runs a call, with this text of the program `flux`. Returns the printed lines. */
    const run = (call: object, jobs: readonly object[], flux = "", prefix = "", more = {}) => {
        writeFileSync(join(folder, "bin/flux"), `#!/bin/sh\n${flux}\n`, { mode: 0o755 });
        // The lead's memory, in KiB. Each thread reserves much that it doesn't use.
        const limited = ["-c", `ulimit -v 1000000; exec ${prefix}python3 -c "$@"`, "bash", ARRAY_PROGRAM, folder];
        const env = {
            ...process.env,
            ...more,
            FLUX_JOBS: JSON.stringify(jobs),
            PATH: `${join(folder, "bin")}:${process.env.PATH}`,
            PYTHONPATH: folder,
        };
        const options = { encoding: "utf8", cwd: folder, env, input: JSON.stringify({ ...request, ...call }) } as const;
        return execFileSync("bash", limited, options).trimEnd().split("\n");
    };
    const answerOf = (lines: readonly string[]) => JSON.parse(lines.at(-1)!) as Record<string, unknown>;

    describe("submit", () => {
        const wanted = { indexes: "0-2", refuse: true };
        const submit = { call: "submit", rerun: false, begun: false, values: null, urgency: 16, ...wanted };
        const system = { environment: {}, shell: { options: {} } };
        const template = { attributes: { system, user: { minicluster: {} } }, tasks: [] };
        const call = { ...submit, template };

        it("submits the elements that Flux doesn't have, also those that it has forgotten before", () => {
            remember({ 1: 0, 2: 1 });
            const lines = run(call, [ended(2)]);
            assert.deepEqual(lines.slice(0, -1), ["submits 0", "submits 2"]);
            const { forgotten, found, jobIds } = answerOf(lines);
            assert.deepEqual([forgotten, found, jobIds], [undefined, 3, ["f1000", "f2", "f1001"]]);
        });

        it("submits nothing if Flux doesn't say whether it has an element", () => {
            remember({ 1: 0, 2: 1 });
            assert.throws(() => run(call, [ended(2)], "", "", { FLUX_ERROR: "110" }), /ERROR: .*no answer/);
            remember({});
            assert.throws(() => run(call, [ended(2)], "", "", { FLUX_ERROR: "110" }), /ERROR: .*no answer/);
            const lines = run(call, [ended(2)], "", "", { FLUX_ERROR: "2" });
            assert.deepEqual(lines.slice(0, -1), ["submits 0", "submits 1", "submits 2"]);
        });

        it("keeps an element that Flux doesn't remove", () => {
            remember({ 1: 0 });
            const purge = (code: string) => run({ ...call, call: "remove" }, [ended(1)], "", "", { PURGE_ERROR: code });
            assert.throws(() => purge("22"), /ERROR: .*not removed/);
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

    describe("submit, of a part of the elements", () => {
        const system = { environment: {}, shell: { options: {} } };
        const template = { attributes: { system, user: { minicluster: {} } }, tasks: [] };
        const call = {
            call: "submit",
            refuse: true,
            rerun: true,
            begun: false,
            values: null,
            urgency: 16,
            template,
        };

        it("submits only the failed elements of the record, although Flux has lost all", () => {
            const lines = run({ ...call, count: 1000, indexes: "3,7-8" }, []);
            assert.deepEqual(lines.slice(0, -1), ["submits 3", "submits 7", "submits 8"]);
            const { found, jobId, remaining } = answerOf(lines);
            assert.deepEqual([found, jobId, remaining], [3, null, 0]);
        });

        it("leaves failed elements alone that don't run again", () => {
            remember({ 1: 0, 2: 1 });
            const lines = run({ ...call, indexes: "0" }, [ended(1, 2), ended(2, 2)]);
            assert.deepEqual(
                lines.filter((line) => !line.startsWith("{")),
                ["purges 1", "submits 0"],
            );
        });

        it("leaves running elements with another content alone, unless they may be cancelled", () => {
            remember({ 1: 0, 2: 1 }, "hother");
            const jobs = [ended(1), { id: 2, state: 16, result: 0 }];
            const lines = run({ ...call, indexes: "0-2" }, jobs);
            assert.equal(lines.length, 1);
            assert.equal(answerOf(lines).busy, 1);
            const allowed = run({ ...call, indexes: "0-2", refuse: false }, jobs);
            assert.deepEqual(allowed.slice(0, 3), ["cancels 2", "purges 1", "purges 2"]);
        });
    });

    describe("watch", () => {
        const call = { call: "watch", seconds: 0, count: 6 };

        it("tells which elements have failed, haven't ended, and aren't there", () => {
            remember({ 1: 0, 2: 1, 3: 2, 4: 4 });
            const jobs = [ended(1, 2), ended(2, 2), { id: 3, state: 16, result: 0 }, ended(4)];
            const { failedIndexes, missingIndexes, unfinishedIndexes } = answerOf(run(call, jobs));
            assert.deepEqual([failedIndexes, unfinishedIndexes, missingIndexes], ["0-1", "2", "3,5"]);
        });

        it("removes the secrets when all elements have ended, and no other call submits any", () => {
            remember({ 1: 0, 2: 1 });
            const file = join(folder, `${name}.env`);
            writeFileSync(file, "S=hush\n");
            run(call, [ended(1), { id: 2, state: 16, result: 0 }]);
            assert.equal(existsSync(file), true);
            const locked = `flock ${join(folder, `${name}.lock`)} `;
            run(call, [ended(1), ended(2)], "", locked);
            assert.equal(existsSync(file), true);
            run(call, [ended(1), ended(2)]);
            assert.equal(existsSync(file), false);
        });
    });

    describe("remove", () => {
        const call = { call: "remove" };
        const running = { id: 2, state: 16, result: 0 };

        it("cancels nothing while an element runs, unless it may be cancelled", () => {
            remember({ 1: 0, 2: 1, 3: 2 });
            const jobs = [ended(1), running, { id: 3, state: 8, result: 0 }];
            const lines = run({ ...call, refuse: true }, jobs);
            assert.deepEqual([lines.length, answerOf(lines)], [1, { busy: 1, left: 3 }]);
            assert.deepEqual(run({ ...call, refuse: false }, jobs).slice(0, 2), ["cancels 3", "cancels 2"]);
        });
    });

    describe("logs", () => {
        const call = { call: "logs", maxBytes: 26, failureBytes: 9 };

        /** The program `flux`: a job's output has these parts, each of which is a command. */
        const store = (...parts: string[]) =>
            [
                'case "$1 $2" in',
                `"job eventlog") echo '{"timestamp":1,"name":"submit"}' ;;`,
                `"kvs get") echo '${JSON.stringify({ type: "valref", ver: 1, data: parts.map((_, part) => `sha1-${part}`) })}' ;;`,
                '"content load") shift 3; for part; do case $part in',
                ...parts.map((text, part) => `sha1-${part}) ${text} ;;`),
                "esac; done ;; esac",
            ].join("\n");
        const data = (text: string) =>
            `printf '%s\\n' '${JSON.stringify({ timestamp: 2, name: "data", context: { stream: "stdout", rank: "0", data: text } })}'`;

        it("has the ends of the last logs", () => {
            remember({ 1: 0, 2: 1, 3: 2 });
            const flux = store(data("first\n"), data("last\n"));
            const answer = answerOf(run(call, [ended(1), ended(2, 2), ended(3)], flux));
            assert.deepEqual(answer, {
                failures: { 1: "rst\nlast\n" },
                output: "1: first\n1: last\n2: first\n2: last\n".slice(-26),
            });
        });

        it("reads only the last parts of a large log, also if they are large", () => {
            remember({ 1: 0 });
            const large = "yes '" + data("abc\n").slice("printf '%s\\n' '".length, -1) + "' | head -n 80000";
            const parts = [...Array(50).fill("echo lost; exit 9"), ...Array(3).fill(large)] as string[];
            const answer = answerOf(run(call, [ended(1, 2)], store(...parts)));
            assert.deepEqual(answer, {
                failures: { 0: "\nabc\nabc\n" },
                output: ": abc\n0: abc\n0: abc\n0: abc\n".slice(-26),
            });
        });

        it("says that a log can't be read, and why", () => {
            remember({ 1: 0 });
            const flux = `${store()}\ncase "$1" in kvs) echo 'flux-kvs: job.1.guest.output: Input/output error' >&2; exit 1;; esac`;
            const answer = answerOf(
                run({ ...call, maxBytes: 1000 }, [ended(1, 2)], flux.replace('"kvs get")', '"kvs none")')),
            );
            const text = "the output of job f1 can't be read: flux-kvs: job.1.guest.output: Input/output error";
            assert.deepEqual(answer, { failures: { 0: `(${text})\n` }, output: `0: (${text})\n` });
        });
    });
});
