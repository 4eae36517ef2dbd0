import assert from "node:assert/strict";

import { followJob } from "../../../../cli/fluxJob/follow";
import { Collected } from "../../../../cli/fluxJob/output";
import { setProgramName } from "../../../../cli/definition/programName";
import { leadSelector } from "../../../../provider/contract/labels";
import { connect } from "../../../../provider/kubernetes/client";
import { useApi } from "../../support/fakeApi";
import { endFrame, frame, onCall } from "../../support/calls";
import { endOf, printed } from "../../support/fakeExec";

/** What a call prints, and how it ends. */
interface Answer {
    readonly prints?: string;
    readonly complains?: string;
    readonly ends: number | "broken";
}

const event = (name: string, context: object = {}) => `${JSON.stringify({ timestamp: 1, name, context })}\n`;
/** Answers of job.sh to the question how far the job is. */
const RUNS = { prints: event("submit") + event("start"), ends: 0 };
const ended = (status: number) => ({ prints: RUNS.prints + event("finish", { status }) + event("clean"), ends: 0 });
const CANCELLED = `events\n${event("submit")}${event("exception", { type: "cancel", severity: 0 })}${event("clean")}`;
const NO_BROKER = { ends: 65, complains: "the lead's broker does not answer" };
const UNKNOWN_JOB = { ends: 64 };

describe("followJob", () => {
    before(() => setProgramName("minicluster"));

    const api = useApi();
    let text: string;
    /** The numbers of each call that follows the job. */
    let asked: string[];
    const key = { jobId: "f26Zqx", nonce: "n0123" };

    beforeEach(() => {
        text = "";
        api.put("jobs", { metadata: { name: "lammps", uid: "job-uid" }, spec: {} });
        const ready = { type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() };
        api.put("pods", {
            metadata: { name: "lammps-0-x", labels: leadSelector("lammps"), ownerReferences: [{ uid: "job-uid" }] },
            status: { phase: "Running", conditions: [ready] },
        });
    });

    /** Follows the job. Each call takes the next answer; the last one is repeated. */
    function follow(following: Answer[], look: Answer[] = [RUNS], patience = 5000): Promise<number> {
        asked = [];
        api.serveCommands((connection) =>
            onCall(connection, ([name, , , ...numbers], socket) => {
                const answers = name === "follow" ? following : look;
                if (name === "follow") {
                    asked.push(numbers.join(" "));
                }
                const { complains = "", ends, prints } = answers.length > 1 ? answers.shift()! : answers[0];
                if (prints !== undefined) {
                    socket.send(printed(1, prints));
                }
                socket.send(printed(2, complains));
                if (ends === "broken") {
                    socket.terminate();
                } else {
                    socket.send(endOf(ends));
                }
            }),
        );
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

    const a = frame("stdout", "a");
    const b = frame("stdout", "b");
    const cases: [string, Answer[], number, string][] = [
        ["gives the exit code of a job", [{ prints: a + endFrame(3 << 8), ends: 0 }], 3, "a"],
        [
            "shows both streams, and messages on exceptions as standard error",
            [{ prints: a + frame("stderr", "e") + frame("exception", "x\n") + b + endFrame(), ends: 0 }],
            0,
            "a(e)(x\n)b",
        ],
        [
            "goes on if the lead's pod ends with 137",
            [
                { prints: a, ends: 137 },
                { prints: b, ends: 143 },
                { prints: endFrame(5 << 8), ends: 0 },
            ],
            5,
            "ab",
        ],
        ["gives 137 of a job that was killed", [{ prints: endFrame(9), ends: 0 }], 137, ""],
        [
            "goes on if the broker restarts, and shows nothing of what Flux says then",
            [
                { prints: a, ends: 65, complains: "flux-job: ERROR: lost" },
                NO_BROKER,
                { prints: b + endFrame(), ends: 0 },
            ],
            0,
            "ab",
        ],
        ["gives 1 for a job that was cancelled before its start", [{ prints: CANCELLED, ends: 0 }], 1, ""],
        [
            "goes on after a broken connection, without what was shown",
            [
                { prints: a, ends: "broken" },
                { prints: `${b}stdout 100\ncut`, ends: "broken" },
                { prints: frame("stdout", "c") + endFrame(), ends: 0 },
            ],
            0,
            "abc",
        ],
    ];
    for (const [what, following, exitCode, output] of cases) {
        it(what, async () => {
            assert.equal(await follow(following), exitCode);
            assert.equal(text, `${output}f26Zqx ended with ${exitCode}`);
        });
    }

    it("calls again, without what was shown, if the time of a call is over before the job's end", async () => {
        const begun = `${a}events\n${JSON.stringify({ timestamp: 1, name: "start" })}\n`;
        assert.equal(
            await follow([
                { prints: begun, ends: 0 },
                { prints: b + endFrame(), ends: 0 },
            ]),
            0,
        );
        assert.deepEqual(asked, ["0 0 0", "0 1 0"]);
        assert.equal(text, "abf26Zqx ended with 0");
    });

    it("tells each call what was shown: events, and messages", async () => {
        const first = a + frame("stderr", "ünï") + frame("exception", "why\n") + "stdout 9\ncut";
        await follow([
            { prints: first, ends: "broken" },
            { prints: b, ends: 137 },
            { prints: endFrame(), ends: 0 },
        ]);
        assert.deepEqual(asked, ["0 0 0", "0 2 1", "0 3 1"]);
    });

    it("goes on if the lead's pod isn't there for a moment", async () => {
        api.fail(/GET .*pods/, 404);
        api.fail(/GET .*jobs/, 503, { times: 2 });
        assert.equal(await follow([{ prints: endFrame(), ends: 0 }]), 0);
    });

    it("fails if the queue was lost with the lead's pod", async () => {
        await assert.rejects(follow([{ prints: a, ends: 137 }, UNKNOWN_JOB]), {
            message:
                "job f26Zqx can't be followed: Flux doesn't know it any more; the queue was lost with the lead's pod",
        });
    });

    it("gives up if the output can't be read, although the job runs", async () => {
        const why = "flux-output: ERROR: flux-kvs: job.1.guest.output: Input/output error\n";
        await assert.rejects(follow([{ ends: 1, complains: why }]), {
            message:
                "job f26Zqx can't be followed: flux-kvs: job.1.guest.output: Input/output error. " +
                "It may still run: see minicluster jobs",
        });
    });

    it("gives up if the lead prints something else", async () => {
        await assert.rejects(follow([{ prints: "Welcome\n", ends: 0 }]), /printed something else than the agent does/);
    });

    it("gives the exit code of a job that has ended if the rest of its output can't be read", async () => {
        const exitCode = await follow([{ prints: a, ends: 137 }, { ends: "broken" }], [ended(5 << 8)], 50);
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
