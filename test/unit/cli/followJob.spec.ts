import assert from "node:assert/strict";

import { followJob } from "../../../cli/followJob";
import { Collected } from "../../../cli/jobOutput";
import { leadSelector } from "../../../provider/contract/labels";
import { connect } from "../../../provider/kube/client";
import { FakeApi } from "../support/fakeApi";
import { endOf, printed } from "../support/fakeExec";

/** What a command prints to its standard output, and how it ends. */
interface Answer {
    readonly prints?: string;
    readonly ends: number | "broken";
}

const event = (name: string, context: object = {}) => `${JSON.stringify({ timestamp: 1, name, context })}\n`;
/** Answers of job.sh to the question how far the job is. */
const RUNS = { prints: event("submit") + event("start"), ends: 0 };
const ended = (status: number) => ({ prints: RUNS.prints + event("finish", { status }) + event("clean"), ends: 0 });
const CANCELLED = {
    prints: event("submit") + event("exception", { type: "cancel", severity: 0 }) + event("clean"),
    ends: 0,
};
const NO_BROKER = { ends: 65 };
const UNKNOWN_JOB = { ends: 64 };

describe("followJob", () => {
    let api: FakeApi;
    let text: string;
    const key = { jobId: "f26Zqx", nonce: "n0123" };

    beforeEach(async () => {
        api = await FakeApi.start();
        text = "";
        api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" }, spec: {} });
        const ready = { type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() };
        api.put("pods", {
            metadata: { name: "lammps-0-x", labels: leadSelector("lammps"), ownerReferences: [{ uid: "job-uid" }] },
            status: { phase: "Running", conditions: [ready] },
        });
    });

    afterEach(() => api.stop());

    /** Follows the job. Each of its commands takes the next answer; the last one is repeated. */
    function follow(attach: Answer[], look: Answer[], patience = 5000): Promise<number> {
        api.serveCommands((socket, command) => {
            const answers = command.includes("attach") ? attach : look;
            const { ends, prints } = answers.length > 1 ? answers.shift()! : answers[0];
            if (prints !== undefined) {
                socket.send(printed(1, prints));
            }
            if (ends === "broken") {
                socket.terminate();
            } else {
                socket.send(endOf(ends));
            }
        });
        return start(patience);
    }

    function start(patience: number): Promise<number> {
        const target = { kube: connect({ kubeconfig: api.kubeconfig }), namespace: "hpc", name: "lammps" };
        const output = {
            show: async (stream: string, bytes: Buffer) => void (text += stream === "stdout" ? bytes : `(${bytes})`),
            end: async (jobId: string, exitCode: number) => void (text += `${jobId} ended with ${exitCode}`),
        };
        return followJob(target, key, output, { patience, pause: 1 });
    }

    const cases: [string, Answer[], Answer[], number, string][] = [
        ["gives the exit code of a job", [{ prints: "a", ends: 3 }], [ended(3 << 8)], 3, "a"],
        ["gives 0 without another look", [{ prints: "a", ends: 0 }], [UNKNOWN_JOB], 0, "a"],
        [
            "goes on if the lead's pod ends with 137",
            [
                { prints: "a", ends: 137 },
                { prints: "ab", ends: 143 },
                { prints: "abc", ends: 0 },
            ],
            [RUNS],
            0,
            "abc",
        ],
        [
            "gives the exit code of a job that ends while the lead's pod does, and the rest of its output",
            [
                { prints: "a", ends: 137 },
                { prints: "ab", ends: 5 },
            ],
            [ended(5 << 8)],
            5,
            "ab",
        ],
        ["gives 137 of a job that was killed", [{ prints: "a", ends: 137 }], [ended(9)], 137, "a"],
        [
            "goes on if flux job attach ends with 1 because the broker restarts",
            [{ prints: "a", ends: 1 }, { ends: 1 }, { prints: "ab", ends: 0 }],
            [NO_BROKER, NO_BROKER],
            0,
            "ab",
        ],
        [
            "gives 0 if flux job attach ends with 1 and the job has succeeded",
            [{ prints: "a", ends: 1 }],
            [ended(0)],
            0,
            "a",
        ],
        ["gives 1 for a job that was cancelled before its start", [{ ends: 1 }], [CANCELLED], 1, ""],
        ["doesn't give 137 for a job that never ran", [{ ends: 137 }], [CANCELLED], 1, ""],
        [
            "goes on after a broken connection, and shows no output twice",
            [
                { prints: "ab", ends: "broken" },
                { prints: "a", ends: "broken" },
                { prints: "abc", ends: 0 },
            ],
            [RUNS],
            0,
            "abc",
        ],
    ];
    for (const [what, attach, look, exitCode, output] of cases) {
        it(what, async () => {
            assert.equal(await follow(attach, look), exitCode);
            assert.equal(text, `${output}f26Zqx ended with ${exitCode}`);
        });
    }

    it("goes on if the lead's pod isn't there for a moment", async () => {
        api.fail(/GET .*pods/, 404);
        api.fail(/GET .*jobs/, 503, { times: 2 });
        assert.equal(await follow([{ ends: 0 }], [RUNS]), 0);
    });

    it("fails if the queue was lost with the lead's pod", async () => {
        await assert.rejects(follow([{ ends: 137 }], [UNKNOWN_JOB]), {
            message:
                "job f26Zqx can't be followed: Flux doesn't know it any more; the queue was lost with the lead's pod",
        });
    });

    it("gives up if flux job attach fails again and again, although the job runs", async () => {
        await assert.rejects(follow([{ ends: 1 }], [RUNS], 50), {
            message:
                "job f26Zqx can't be followed: flux job attach ended with 1, although the job runs. " +
                "It may still run: see minicluster jobs",
        });
    });

    it("gives the exit code of a job that has ended if the rest of its output can't be read", async () => {
        const exitCode = await follow([{ prints: "a", ends: 137 }, { ends: "broken" }], [ended(5 << 8)], 50);
        assert.deepEqual([exitCode, text], [5, "af26Zqx ended with 5"]);
    });

    it("gives up when rank 0 stays unreachable, and says that the job may go on", async () => {
        api.fail(/exec/, 500, { times: 99 });
        await assert.rejects(start(0), {
            message:
                "job f26Zqx can't be followed: a command can't be run in pod lammps-0-x: HTTP status 500. " +
                "It may still run: see minicluster jobs",
        });
    });
});

describe("Collected", () => {
    /** What is printed of output that comes in these parts, with a limit of 8 bytes. */
    async function collect(...parts: string[]): Promise<object> {
        let text = "";
        const collected = new Collected(async (line) => void (text += line), 8);
        for (const part of parts) {
            await collected.show("stdout", Buffer.from(part));
        }
        await collected.end("f26Zqx", 3);
        return JSON.parse(text);
    }

    it("prints all output", async () => {
        assert.deepEqual(await collect("abc", "de"), { jobId: "f26Zqx", exitCode: 3, output: "abcde" });
    });

    it("keeps the end of a long output, and says how much it has dropped", async () => {
        const printed = { jobId: "f26Zqx", exitCode: 3, output: "34567890", omittedBytes: 2 };
        assert.deepEqual(await collect("1234567890"), printed);
        assert.deepEqual(await collect("1", "23", "4567", "890"), printed);
    });
});
