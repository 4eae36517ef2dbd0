import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { ending } from "../../../../../components/features/ending";
import { podTemplate } from "../../../../../components/pod/template";
import { makeSpec, problemsOf } from "../../../support/spec";

const OWN = ["/bin/sh", "/etc/flux-minicluster/leave.sh"];
const own = (...words: string[]) => ({ exec: { command: [...OWN, ...words] } });

const template = (lifecycle: object | null): PlainArgs["podTemplate"] => ({
    spec: { containers: [{ name: "flux", lifecycle }] },
});

const hook = { exec: { command: ["sh", "-c", "save"] } };
const get = { httpGet: { path: "/save", port: 80 } };

describe("the preStop hook", () => {
    const lifecycleOf = (args: Partial<PlainArgs>) =>
        podTemplate(makeSpec(args), "default", {}).spec.containers[0].lifecycle;

    const cases: [string, Partial<PlainArgs>, object | undefined][] = [
        ["is the cluster's own", { command: [] }, { preStop: own() }],
        [
            "of podTemplate follows the cluster's own, and a postStart hook stays as it is",
            { command: [], podTemplate: template({ preStop: hook, postStart: get }) },
            { preStop: own("sh", "-c", "save"), postStart: get },
        ],
        [
            "of podTemplate follows that of a command with a notice",
            { command: ["x"], onRankLoss: "rerun", podTemplate: template({ preStop: hook }) },
            { preStop: own("sh", "-c", "save") },
        ],
        [
            "of podTemplate stands alone if the cluster has none",
            { command: ["x"], podTemplate: template({ preStop: get }) },
            { preStop: get },
        ],
        ["is removed by null", { command: [], podTemplate: template({ preStop: null }) }, {}],
        ["is removed with all of lifecycle by null", { command: [], podTemplate: template(null) }, undefined],
    ];
    for (const [sentence, args, expected] of cases) {
        it(sentence, () => assert.deepEqual(lifecycleOf(args), expected));
    }

    const times: [string, Partial<PlainArgs>, [grace: number, own: number | undefined]][] = [
        ["gets 30 s besides those of the cluster's end", { command: [] }, [50, 12]],
        ["gets 30 s besides those of drainTimeout", { command: [], drainTimeout: 60 }, [110, 72]],
        ["gets 30 s besides those of archive", { command: [], archive: { hostPath: "/x" } }, [60, 12]],
        ["gets 30 s besides those of a notice", { command: ["x"], checkpoint: { seconds: 9 } }, [59, 21]],
        ["gets 30 s besides those of a command", { command: ["x"] }, [40, undefined]],
        ["gets all of a longer grace period", { command: [], terminationGracePeriodSeconds: 300 }, [300, 12]],
        ["shares a shorter grace period", { command: [], terminationGracePeriodSeconds: 10 }, [10, 6]],
    ];
    for (const [what, args, expected] of times) {
        it(`of podTemplate ${what}`, () => {
            const spec = makeSpec({ ...args, podTemplate: template({ preStop: hook }) });
            const seconds = ending.parameters?.(spec)?.leaveSeconds;
            assert.deepEqual([spec.terminationGracePeriodSeconds, seconds && Number(seconds)], expected);
        });
    }

    it("of a sidecar gets 30 s too", () => {
        const initContainers = [{ name: "helper", lifecycle: { preStop: get } }];
        const { terminationGracePeriodSeconds } = makeSpec({ command: [], podTemplate: { spec: { initContainers } } });
        assert.equal(terminationGracePeriodSeconds, 50);
    });

    it("of another container stays as it is", () => {
        const initContainers = [{ name: "helper", lifecycle: { preStop: get } }];
        const spec = makeSpec({ command: [], podTemplate: { spec: { initContainers } } });
        const made: Record<string, unknown>[] = podTemplate(spec, "default", {}).spec.initContainers;
        assert.deepEqual(made.find(({ name }) => name === "helper")?.["lifecycle"], { preStop: get });
    });

    const refused: [string, object][] = [
        ["another kind", get],
        ["no words", { exec: {} }],
    ];
    for (const [what, preStop] of refused) {
        it(`of podTemplate is refused with ${what}, by a message that names both hooks`, () => {
            const problems = (args: Partial<PlainArgs>) =>
                problemsOf(ending, makeSpec({ ...args, podTemplate: template({ preStop }) }));
            assert.deepEqual(problems({ command: [] }), [
                `podTemplate.spec.containers[flux].lifecycle.preStop: is ${JSON.stringify(preStop)}, but a container has one ` +
                    "preStop hook, and it is the cluster's own (/bin/sh /etc/flux-minicluster/leave.sh), by which Flux ends " +
                    "the jobs of a pod that leaves. Give exec.command, which runs after it, or remove preStop.",
            ]);
            assert.deepEqual(problems({ command: ["x"] }), []);
        });
    }
});

describe("the seconds of a stopped follower's tasks", () => {
    const cases: [Partial<PlainArgs>, string | undefined][] = [
        [{}, undefined],
        [{ terminationGracePeriodSeconds: 60 }, "55"],
        [{ terminationGracePeriodSeconds: 5 }, "2"],
        [{ terminationGracePeriodSeconds: 0 }, "1"],
        [{ podTemplate: template({ preStop: hook }) }, undefined],
        [{ checkpoint: { seconds: 60 } }, undefined],
        [{ checkpoint: { seconds: 60 }, terminationGracePeriodSeconds: 130 }, "23"],
        [{ command: [], terminationGracePeriodSeconds: 60 }, undefined],
    ];
    for (const [args, expected] of cases) {
        it(`are ${expected ?? "the default"} with ${JSON.stringify(args)}`, () => {
            assert.equal(ending.parameters?.(makeSpec({ command: ["x"], ...args }))?.taskSeconds, expected);
        });
    }
});
