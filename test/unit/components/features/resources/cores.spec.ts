import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { validate } from "../../../../../components/arguments/decide";
import { countsNode, noticeQuota } from "../../../../../components/features/resources/cores";
import { makeSpec } from "../../../support/spec";

const limits = (cpu: string, more: Partial<PlainArgs> = {}) => ({ resources: { limits: { cpu } }, ...more });

describe("the rules of cores", () => {
    const refused: [Partial<PlainArgs>, string][] = [
        [{ cores: 0 }, "cores: is 0; a rank has 1 to 65536 cores. Change it."],
        [
            { cores: 2, broker: { config: "[tbon]" } },
            "cores: is 2, but broker.config is the whole broker.toml. Write resource.config there, or remove it.",
        ],
        [
            { resources: { requests: { cpu: "70k" } } },
            'resources.requests.cpu: is "70k"; a rank has up to 65536 cores. Lower it.',
        ],
        [limits("70k"), 'resources.limits.cpu: is "70k"; a rank has up to 65536 cores. Lower it.'],
        [
            { cores: 2, tasks: 12 },
            "tasks: is 12; 4 ranks need 3 cores each for it, but cores gives 2. Lower tasks or coresPerTask, or raise size or the cores.",
        ],
    ];
    for (const [args, text] of refused) {
        it(`refuse ${JSON.stringify(args)}`, () => {
            const problems = validate(makeSpec(args)).map(({ property, reason }) => `${property}: ${reason}`);
            assert.deepEqual(problems, [text]);
        });
    }
});

describe("ranks that may count the cores of others", () => {
    const told: [string, Partial<PlainArgs>, boolean][] = [
        ["a command of one task on each rank", {}, false],
        ["such a command on some ranks", { nodes: 2 }, false],
        ["a command of so many tasks", { tasks: 8 }, true],
        ["a command of several tasks on each rank", { tasksPerNode: 2 }, true],
        ["a command of tasks with several cores", { coresPerTask: 2 }, true],
        ["a launcher", { launcher: true }, true],
        ["a persistent cluster", { command: [] }, true],
        ["a persistent cluster with a CPU request", { command: [], resources: { requests: { cpu: "1" } } }, false],
        ["a launcher on nodes of its own", { launcher: true, placement: "exclusive" }, false],
    ];
    for (const [what, args, isTold] of told) {
        it(`are ${isTold ? "" : "not "}mentioned for ${what}`, () => {
            assert.equal(countsNode(makeSpec(args)), isTold);
        });
    }
});

describe("the notice of a CPU quota", () => {
    const notices = (args: Partial<PlainArgs>) => noticeQuota(makeSpec(args)).map(({ reason }) => reason);

    for (const [what, args] of [
        ["no limit", { resources: { requests: { cpu: "4" } }, tasks: 16 }],
        ["one CPU and one task", limits("1")],
        ["one CPU and a task on each rank", limits("1", { tasks: 4 })],
        ["less than a CPU and one task", limits("500m")],
    ] as const) {
        it(`isn't given for ${what}`, () => {
            assert.deepEqual(notices(args), []);
        });
    }

    it("names the kubelets that give CPUs of their own to a Guaranteed pod of whole CPUs", () => {
        const [text] = notices({ resources: { limits: { cpu: "4", memory: "1Gi" } } });
        assert.match(text, /Unless the kubelet gives the pod CPUs of its own \(static CPU manager\), this is a quota/);
        assert.match(text, /Without such kubelets, give resources\.requests\.cpu/);
    });

    for (const [what, args, share] of [
        ["a limit of several CPUs", limits("4"), "400 ms"],
        ["a limit of one and a half", limits("1500m"), "150 ms"],
        ["several tasks on a rank", limits("1", { tasksPerNode: 2 }), "100 ms"],
        ["more tasks than ranks", limits("1", { tasks: 5, cores: 2 }), "100 ms"],
    ] as const) {
        it(`says when a rank stands still with ${what}`, () => {
            const [text, ...more] = notices(args);
            assert.deepEqual(more, []);
            assert.match(text, /^is "[\d.m]+"\. This is a quota: when/);
            assert.ok(text.includes(`have used ${share} of CPU within 100 ms`), text);
            assert.match(text, /Give resources\.requests\.cpu without a limit/);
        });
    }
});
