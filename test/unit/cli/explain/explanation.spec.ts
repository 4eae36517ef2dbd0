import assert from "node:assert/strict";

import { describeExplanation, explainJob } from "../../../../cli/explain/explanation";
import { inState, wanted } from "../../../../cli/explain/amounts";
import type { Facts, JobEvent } from "../../../../cli/explain/facts";

const NOW = 1000;
const event = (name: string, context?: JobEvent["context"], timestamp = 900): JobEvent => ({
    name,
    context,
    timestamp,
});
const SUBMITTED = [event("submit", { urgency: 16 }), event("validate")];
const QUEUED = [...SUBMITTED, event("depend"), event("priority", { priority: 16 })];
const STARTED = [...QUEUED, event("alloc"), event("start", {}, 910)];
const slot = { type: "slot", count: 1, with: [{ type: "core", count: 2 }] };
const TWO_NODES = [{ type: "node", count: 2, with: [slot] }];
const row = (state: string, nodes: number, cores: number, ranks: string) => [state, `${nodes}`, `${cores}`, "0", ranks];
/** Four nodes with two cores each, of which as many are up and free. */
const nodes = (up: number, free: number) => [
    row("all", 4, 8, "0-3"),
    row("up", up, 2 * up, "0-1"),
    row("down", 4 - up, 8 - 2 * up, up === 4 ? "" : "[3]"),
    row("allocated", up - free, 2 * (up - free), ""),
    row("free", free, 2 * free, ""),
];

function facts(events: readonly JobEvent[], more: Partial<Facts> = {}): Facts {
    return { jobId: "f26Zqx", id: "300", events, wish: { name: "solve", resources: TWO_NODES }, ...more };
}

const sentencesOf = (events: readonly JobEvent[], more?: Partial<Facts>) => {
    const { reason, sentences } = explainJob(facts(events, more), NOW);
    return [reason, ...sentences];
};

describe("explainJob", () => {
    const cases: [string, readonly JobEvent[], Partial<Facts>, string[]][] = [
        [
            "names the jobs for which a job waits",
            [
                ...SUBMITTED,
                event("dependency-add", { description: "after-success=ƒ26Zqw" }),
                event("dependency-add", { description: "after-start=ƒ26Zqv" }),
                event("dependency-remove", { description: "after-start=ƒ26Zqv" }),
            ],
            {},
            ["dependency", "It waits for the success of job f26Zqw."],
        ],
        [
            "says until when a job waits",
            [...SUBMITTED, event("dependency-add", { description: "begin-time=1700000000.000" })],
            {},
            ["dependency", "It waits for its begin time, 2023-11-14T22:13:20.000Z."],
        ],
        [
            "says how to release a job that is held",
            [...QUEUED, event("urgency", { urgency: 0 })],
            {},
            ["held", "It is held, because its urgency is 0. On the lead, flux job urgency f26Zqx 16 releases it."],
        ],
        [
            "names a queue that is stopped, and why",
            QUEUED,
            {
                wish: { name: "solve", resources: TWO_NODES, queue: "batch" },
                queue: ["batch: Job submission is enabled", "batch: Scheduling is stopped: upgrade"],
            },
            ["queueStopped", "The queue batch is stopped (upgrade). On the lead, flux queue start batch starts it."],
        ],
        [
            "names the jobs that hold the resources, and those before it",
            QUEUED,
            {
                nodes: nodes(4, 1),
                running: [["f1", "3", "6", "[0-2]", "120.0", "train"]],
                waiting: [
                    ["200", "f25", "16", "early"],
                    ["300", "f26Zqx", "16", "solve"],
                    ["400", "f27", "20", "urgent"],
                    ["500", "f28", "16", "late"],
                ],
            },
            [
                "resources",
                "It needs 2 nodes with 4 cores; 1 node with 2 cores is free.",
                "1 job has resources: train (f1, 3 nodes with 6 cores, for 2 min).",
                "2 jobs wait before it: early (f25), urgent (f27).",
            ],
        ],
        [
            "names the nodes that are down or drained, and why",
            QUEUED,
            { nodes: nodes(1, 1), drained: [["3", "disk full"]], running: [], waiting: [] },
            [
                "nodes",
                "It needs 2 nodes with 4 cores; 1 node with 2 cores is free.",
                "3 are down or drained (rank 3): rank 3 is drained (disk full).",
                "It can't start before more nodes are up: 1 node with 2 cores is.",
            ],
        ],
        [
            "says that the cluster is too small",
            QUEUED,
            { wish: { name: "big", resources: [{ ...TWO_NODES[0], count: 9 }] }, nodes: nodes(4, 4) },
            [
                "nodes",
                "It needs 9 nodes with 18 cores; 4 nodes with 8 cores are free.",
                "The cluster has only 4 nodes with 8 cores: it can start when the cluster is larger.",
            ],
        ],
        [
            "says that a job waits for its turn only",
            QUEUED,
            {
                nodes: nodes(4, 4),
                running: [],
                waiting: [
                    ["200", "f25", "16", "early"],
                    ["300", "f26Zqx", "16", "solve"],
                ],
            },
            [
                "order",
                "It needs 2 nodes with 4 cores; 4 nodes with 8 cores are free.",
                "1 job waits before it: early (f25).",
            ],
        ],
        [
            "gives the wish of a job if the scheduler doesn't tell its resources",
            QUEUED,
            { nodes: null },
            [
                "scheduler",
                "It needs 2 nodes with 4 cores, and waits for the scheduler, which doesn't say its resources.",
            ],
        ],
        [
            "names the prolog for which a job waits",
            [...QUEUED, event("alloc"), event("prolog-start", { description: "mount" }, 940)],
            {},
            ["prolog", "It has its resources, and waits for the prolog mount, which has run for 60 s."],
        ],
        [
            "says how long a job runs",
            STARTED,
            {},
            ["running", "It runs, for 90 s."].map((text) => text.replace("90 s", "2 min")),
        ],
        [
            "gives the exit code of a job, and its meaning",
            [...STARTED, event("finish", { status: 127 << 8 }, 912), event("clean")],
            { output: "" },
            ["failed", "It has failed with exit code 127 (the program was not found).", "Its tasks ran for 2 s."],
        ],
        [
            "gives the exception of a job that the scheduler refused",
            [
                ...QUEUED,
                event("exception", { type: "alloc", severity: 0, note: "unsatisfiable request" }),
                event("clean"),
            ],
            { output: "" },
            ["refused", "The scheduler refused it: unsatisfiable request.", "Its tasks never ran."],
        ],
        [
            "says that a job reached its time limit",
            [
                ...STARTED,
                event("exception", { type: "timeout", severity: 0, note: "resource allocation expired" }),
                event("finish", { status: 14 }, 970),
                event("clean"),
            ],
            { wish: { name: "solve", resources: TWO_NODES, duration: 60 }, output: "" },
            ["timeout", "It reached its time limit of 60 s.", "Its tasks ran for 60 s."],
        ],
    ];
    for (const [what, events, more, expected] of cases) {
        it(what, () => assert.deepEqual(sentencesOf(events, more), expected));
    }

    it("ends with the last lines of the output of a failed job", () => {
        const ended = [...STARTED, event("finish", { status: 256 }, 912), event("clean")];
        const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
        const output = `\uFFFD${lines.join("\n")}\n`;
        const explanation = explainJob(facts(ended, { output }), NOW);
        assert.deepEqual([explanation.exitCode, explanation.output], [1, `${lines.slice(-10).join("\n")}\n`]);
        assert.match(
            describeExplanation(explanation),
            /^solve \(f26Zqx\)\n[^]*output:\n {2}line 10\n[^]* {2}line 19\n$/,
        );
    });
});

describe("wanted", () => {
    it("multiplies the counts of a jobspec", () => {
        assert.deepEqual(wanted(TWO_NODES), { nodes: 2, cores: 4, gpus: 0 });
        const tasks = [
            {
                type: "slot",
                count: { min: 3 },
                with: [
                    { type: "core", count: 1 },
                    { type: "gpu", count: 2 },
                ],
            },
        ];
        assert.deepEqual(wanted(tasks), { nodes: 0, cores: 3, gpus: 6 });
    });
});

describe("inState", () => {
    it("adds the lines of a state", () => {
        const rows = [row("down", 1, 2, "3"), row("down", 1, 2, "[0,2]"), row("up", 1, 2, "1")];
        assert.deepEqual(inState(rows, "down"), { nodes: 2, cores: 4, gpus: 0, ranks: "3,0,2" });
    });
});
