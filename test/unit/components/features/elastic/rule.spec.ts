import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";

import { scriptFile } from "../../../support/scriptFile";

/** Evaluates expressions of the modules, each on one line. */
function evaluate(lines: readonly string[]): unknown[] {
    const source = [
        "import json, sys, weakref",
        `sys.path[:0] = ${JSON.stringify(["elastic_rule.py", "flux_sets.py", "flux_calls.py"].map((file) => dirname(scriptFile(file))))}`,
        "from elastic_place import *",
        "from elastic_rule import *",
        "from elastic_flux import Flux, readable, request_in, ranks_in, amounts_in, drains_in",
        "def need(size, cores, jobs, used={}, kept=(), most=8, gpus=0):",
        "    ranks = {number: Rank(cores, gpus, 'mc-%d' % number) for number in range(most)}",
        "    found = need_of(Look(size, ranks, used, list(enumerate(jobs)), set(), set(kept)))",
        "    return [found.ranks, [job for job, _ in found.impossible]]",
        "def spec(resource): return vars(request_in({'resources': [resource]}))",
        // A connection with these answers. It counts the requests without an answer, and the answers that are kept.
        "class Answer(dict): pass",
        "class Future:",
        "    def __init__(self, handle, answer): self.handle, self.answer = handle, answer",
        "    def wait_for(self, seconds): pass",
        "    def get(self):",
        "        self.handle.sent -= 1",
        "        found = Answer(self.answer)",
        "        self.handle.kept.add(found)",
        "        self.handle.most_kept = max(self.handle.most_kept, len(self.handle.kept))",
        "        return found",
        "Answer.__hash__ = object.__hash__",
        "class Handle:",
        "    sent = most_sent = most_kept = 0",
        "    def __init__(self, answer): self.answer, self.kept, self.asked = answer, weakref.WeakSet(), []",
        "    def rpc(self, topic, payload):",
        "        self.sent += 1",
        "        self.most_sent = max(self.most_sent, self.sent)",
        "        self.asked.append(payload.get('id'))",
        "        return Future(self, self.answer(topic, payload))",
        "def flux_that(answer):",
        "    flux = Flux()",
        "    flux.handle = Handle(answer)",
        "    return flux",
        "def error_of(flux):",
        "    try: flux.read(1)",
        "    except OSError as error: return error.strerror",
        "def most_at_a_time(flux, jobs):",
        "    flux.requests_of(jobs)",
        "    return [flux.handle.most_sent, flux.handle.most_kept, flux.handle.asked == list(jobs)]",
        "def read_counts(flux, *looks):",
        "    return [[flux.requests_of(jobs), len(flux.handle.asked), flux.handle.asked.clear()][1] for jobs in looks]",
        ...lines.map((line) => `print(json.dumps(${line}))`),
    ].join("\n");
    const { status, stderr, stdout } = spawnSync("python3", ["-B", "-c", source], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
}

describe("the number of ranks that a queue needs", () => {
    const cases: [string, string, [number, number[]]][] = [
        ["is 0 without jobs", "need(3, 4, [])", [0, []]],
        ["is that of the cores of small jobs", "need(1, 4, [Request()] * 9)", [3, []]],
        ["counts cores that a rank can't give to one slot", "need(1, 4, [Request(1, 3)] * 3)", [3, []]],
        ["is that of a job's nodes", "need(1, 4, [Request(1, 1, 0, 5)])", [5, []]],
        [
            "gives an exclusive job ranks without other jobs",
            "need(2, 4, [Request(1, 1, 0, 2, True)], {0: (1, 0)})",
            [3, []],
        ],
        ["counts GPUs", "need(1, 4, [Request(1, 1, 2)] * 3, gpus=2)", [3, []]],
        ["leaves running jobs where they are", "need(2, 4, [Request(1, 4)], {0: (2, 0), 1: (2, 0)})", [3, []]],
        ["uses free cores beside running jobs", "need(2, 4, [Request(1, 2)], {0: (2, 0), 1: (2, 0)})", [2, []]],
        ["is that of running jobs on fewer ranks", "need(6, 4, [], {1: (1, 0), 3: (2, 0), 5: (1, 0)})", [1, []]],
        ["leaves out ranks that an administrator has drained", "need(2, 4, [Request(1, 4)], {}, [0, 1])", [3, []]],
        ["meets constraints", "need(1, 4, [Request(constraint={'ranks': ['4-5']})])", [5, []]],
        [
            "meets constraints of hosts",
            "need(1, 4, [Request(constraint={'not': [{'hostlist': ['mc-[0-2]']}]})])",
            [4, []],
        ],
        ["doesn't count jobs for which all ranks are not enough", "need(1, 4, [Request(1, 5), Request()])", [1, [0]]],
        ["is all ranks if all jobs together need more", "need(1, 4, [Request(1, 4)] * 20)", [8, []]],
        [
            "is that of the largest job while it waits for others",
            "need(3, 1, [Request(1, 1, 0, 8)], {0: (1, 0)})",
            [8, []],
        ],
    ];
    it("comes from the jobs and the ranks", () => {
        const found = evaluate(cases.map(([, expression]) => expression));
        assert.deepEqual(
            cases.map(([name], index) => [name, found[index]]),
            cases.map(([name, , expected]) => [name, expected]),
        );
    });

    it("comes from jobspecs of each kind", () => {
        const core = "{'type': 'core', 'count': 2}";
        const slot = `{'type': 'slot', 'count': 3, 'with': [${core}, {'type': 'gpu', 'count': 1}]}`;
        const request = { slots: 3, cores: 2, gpus: 1, nodes: 0, exclusive: false, constraint: null };
        assert.deepEqual(
            evaluate([
                `spec(${slot})`,
                `spec({'type': 'node', 'count': 4, 'exclusive': True, 'with': [${slot}]})`,
                "spec({'type': 'slot', 'count': 2, 'with': [{'type': 'node', 'count': {'min': 2, 'max': 4}}]})",
                `spec({'type': 'slot', 'count': '2-8', 'with': [${core}]})`,
            ]),
            [
                request,
                { ...request, nodes: 4, exclusive: true },
                { ...request, slots: 1, cores: 0, gpus: 0, nodes: 4, exclusive: true },
                { ...request, slots: 2, gpus: 0 },
            ],
        );
    });
});

describe("a look at a queue", () => {
    it("leaves out a job whose jobspec or constraint it can't read", () => {
        const resources = "'resources': [{'type': 'core', 'count': 1}]";
        const constraint = (of: string) => `{${resources}, 'attributes': {'system': {'constraints': ${of}}}}`;
        const wrong = ["{'resources': [{}]}", "'not json'", "None", constraint("{'ranks': ['a']}"), constraint("[1]")];
        const answers = `lambda _, job: {'jobspec': [${wrong.join(", ")}, {${resources}}][job['id'] - 10]}`;
        assert.deepEqual(
            evaluate([`[job for job, _ in flux_that(${answers}).requests_of(dict.fromkeys(range(10, 16)))]`]),
            [[15]],
        );
    });

    it("reads the jobspec of a job again that is moved to another queue, and no other one", () => {
        const answers = "lambda *_: {'jobspec': {'resources': []}}";
        const program = `read_counts(flux_that(${answers}), {1: 'a', 2: 'a'}, {1: 'a', 2: 'a'}, {1: 'a', 2: 'b'})`;
        assert.deepEqual(evaluate([program]), [[2, 0, 1]]);
    });

    it("asks for a few jobspecs at a time, and keeps none, because each may have megabytes", () => {
        const answers = "lambda *_: {'jobspec': {'resources': []}}";
        const program = `most_at_a_time(flux_that(${answers}), dict.fromkeys(range(120)))`;
        assert.deepEqual(evaluate([program]), [[4, 1, true]]);
    });

    it("is refused while the scheduler is offline, because no job could start", () => {
        const queue = "{'enable': True, 'start': False, 'stop_reason': 'Scheduler is offline'}";
        const ask = `lambda topic, _: ${queue} if 'status' in topic else {'queues': []}`;
        assert.deepEqual(evaluate([`error_of(flux_that(${ask}))`]), ["Scheduler is offline"]);
    });
});
