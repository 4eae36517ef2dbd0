import assert from "node:assert/strict";

import { readEventlog } from "../../../../provider/flux/eventlog";

const event = (name: string, context?: object) =>
    JSON.stringify({ timestamp: 1795268538.9, name, ...(context && { context }) });
const submitted = [event("submit", { userid: 0, urgency: 16 }), event("validate"), event("depend"), event("priority")];
const started = [...submitted, event("alloc", { annotations: {} }), event("start")];
const ended = (status: number) => [
    ...started,
    event("finish", { status }),
    event("release"),
    event("free"),
    event("clean"),
];
const exception = (type: string, note: string, severity = 0) => event("exception", { type, note, severity, userid: 0 });

describe("readEventlog", () => {
    const cases: { it: string; events: string[]; expected: object }[] = [
        { it: "a job that waits for resources", events: submitted, expected: { phase: "pending", over: false } },
        { it: "a running job", events: started, expected: { phase: "running", over: false } },
        {
            it: "a job whose tasks have ended and whose nodes aren't free yet",
            events: [...started, event("finish", { status: 0 })],
            expected: { phase: "running", over: false },
        },
        {
            it: "a successful job",
            events: ended(0),
            expected: { phase: "succeeded", exitCode: 0, reason: undefined, over: true },
        },
        {
            it: "a job that failed with an exit code",
            events: ended(768),
            expected: { phase: "failed", exitCode: 3, reason: "exit code 3", over: true },
        },
        {
            it: "a job that a signal ended",
            events: ended(9),
            expected: { phase: "failed", exitCode: 137, reason: "exit code 137", over: true },
        },
        {
            it: "a job that can never run",
            events: [...submitted, exception("alloc", "unsatisfiable request: need 9 slot(s)"), event("clean")],
            expected: {
                phase: "failed",
                exitCode: undefined,
                reason: "alloc: unsatisfiable request: need 9 slot(s)",
                over: true,
            },
        },
        {
            it: "a cancelled job",
            events: [...started, exception("cancel", ""), event("finish", { status: 15 }), event("clean")],
            expected: { phase: "failed", exitCode: 143, reason: "it was cancelled", over: true },
        },
        {
            it: "a job that reached its time limit",
            events: [
                ...started,
                exception("timeout", "resource allocation expired"),
                event("finish", { status: 14 }),
                event("clean"),
            ],
            expected: {
                phase: "failed",
                exitCode: 142,
                reason: "it reached its time limit; raise timeLimit",
                over: true,
            },
        },
        {
            it: "a successful job despite an exception that isn't fatal",
            events: [...started, exception("note", "look", 7), event("finish", { status: 0 }), event("clean")],
            expected: { phase: "succeeded", exitCode: 0, reason: undefined, over: true },
        },
    ];
    for (const { events, expected, it: what } of cases) {
        it(`recognises ${what}`, () => {
            const { times: _, ...found } = readEventlog(`${events.join("\n")}\n`);
            assert.deepEqual(found, expected);
        });
    }

    it("has the times of a job that has ended", () => {
        const at = (timestamp: number, name: string) => JSON.stringify({ timestamp, name, context: { status: 0 } });
        const all = [at(1, "submit"), at(2, "start"), at(3, "finish"), at(4, "clean")];
        assert.deepEqual(readEventlog(all.join("\n")).times, { submitted: 1, started: 2, ended: 3 });
        const never = [at(1, "submit"), at(4, "clean")];
        assert.deepEqual(readEventlog(never.join("\n")).times, { submitted: 1, started: undefined, ended: 4 });
        assert.equal(readEventlog(all.slice(0, 2).join("\n")).times, undefined);
    });

    it("skips lines that other programs print", () => {
        assert.equal(readEventlog(`warning: locale\n${started.join("\n")}\n`).phase, "running");
    });
});
