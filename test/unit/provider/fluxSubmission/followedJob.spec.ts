import assert from "node:assert/strict";

import { FollowedJob } from "../../../../provider/fluxSubmission/followedJob";
import { LiveOutput } from "../../../../provider/observe/live/liveOutput";
import { connect } from "../../../../provider/kubernetes/client";
import { endFrame, frame, onCall } from "../../support/calls";
import { useApi } from "../../support/fakeApi";
import { endOf, printed } from "../../support/fakeExec";

describe("a job that an update follows", () => {
    const api = useApi();
    /** Lines that stay. */
    let told: string[];
    let rows: string[];
    /** The words of each call, without the text of the program. */
    let calls: string[][];
    let job: FollowedJob;

    beforeEach(() => {
        [told, rows, calls] = [[], [], []];
    });

    /** Each call prints the next text, and then ends; without a text, its connection stays open. */
    function follow(answers: readonly string[], { isHidden = false, isStreamed = true, broken = 0 } = {}): void {
        const left = [...answers];
        api.serveCommands((connection) =>
            onCall(connection, (words, socket) => {
                calls.push([...words]);
                const text = left.shift();
                if (text !== undefined) {
                    socket.send(printed(1, text));
                    if (calls.length <= broken) {
                        socket.terminate();
                    } else if (text.includes("events\n")) {
                        socket.send(endOf(0));
                    }
                }
            }),
        );
        const tell = isStreamed ? (line: string) => void told.push(line) : undefined;
        const live = new LiveOutput({ tell, isHidden, changed: () => void rows.push(live.words), elsewhere: "" });
        const key = { jobId: "f26Zqx", nonce: "n0123" };
        const { signal } = new AbortController();
        job = new FollowedJob(
            connect({ kubeconfig: api.kubeconfig }),
            key,
            { live, isHidden, isStreamed, flush: async () => undefined },
            signal,
        );
    }

    const lead = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };
    const unread = async () => assert.fail("the output can be read");
    const look = (seconds = 30, otherwise: Parameters<FollowedJob["look"]>[2] = unread) =>
        job.look(lead, seconds, otherwise);

    it("prints its lines and shows its progress until its end, with one connection", async () => {
        follow([
            frame("stdout", "one\ntw") + frame("progress", "0.4 step 4") + frame("stdout", "o\n") + endFrame(3 << 8),
        ]);
        const { exitCode, over } = (await look()) ?? {};
        assert.deepEqual([exitCode, over, told], [3, true, ["one", "two"]]);
        assert.equal(rows.length, 1);
        await job.close();
        assert.deepEqual(calls, [["follow", "f26Zqx", "n0123", "0", "0", "0", "2"]]);
    });

    it("goes on after a connection that broke, without losing or repeating a line", async () => {
        follow([frame("stdout", "one\n") + "stdout 9\ntw", frame("stdout", "two\n") + endFrame()], { broken: 1 });
        await assert.rejects(look(), /broke|closed|aborted/);
        assert.equal((await look())?.exitCode, 0);
        assert.deepEqual(told, ["one", "two"]);
        assert.deepEqual(calls.at(-1), ["follow", "f26Zqx", "n0123", "0", "1", "0", "2"]);
    });

    it("runs at the end of a look, whose connection stays", async () => {
        follow([]);
        const running = { phase: "running", over: false, told: undefined };
        assert.deepEqual(await look(0.01), running);
        assert.deepEqual(await look(0.01), running);
        assert.equal(calls.length, 1);
        await job.close();
    });

    it("is called again where the call has ended before the job, and keeps its progress", async () => {
        const begun = `events\n${JSON.stringify({ timestamp: 1, name: "start" })}\n`;
        follow([frame("stdout", "one\n") + frame("progress", "0.4 step 4") + begun, endFrame()]);
        const { over, phase, told: progress } = (await look()) ?? {};
        assert.deepEqual([phase, over, progress?.fraction], ["running", false, 0.4]);
        assert.equal((await look())?.over, true);
        assert.deepEqual(calls.at(-1), ["follow", "f26Zqx", "n0123", "0", "1", "0", "2"]);
    });

    it("goes on without its output if that can't be read, and says so", async () => {
        follow(["no output of a job\n"]);
        const ended = { phase: "succeeded", over: true, exitCode: 0 } as const;
        assert.equal(await look(30, async () => ended), ended);
        assert.equal(await look(30, async () => ended), ended);
        assert.equal(calls.length, 1);
        assert.match(told[0], /^\(the output can't be shown: the command in the lead printed something else/);
    });

    it("shows only the last line without stream", async () => {
        follow([frame("end", "ne\ntwo\nthree") + endFrame()], { isStreamed: false });
        await look();
        assert.deepEqual([rows, told], [["three"], []]);
        assert.deepEqual(calls, [["watch_output", "f26Zqx", "n0123", "1024", "10"]]);
    });

    it("asks for nothing of an output that is a secret", async () => {
        follow([frame("progress", "0.5 half") + endFrame()], { isStreamed: false, isHidden: true });
        await look();
        assert.deepEqual(rows, ["50 %, half"]);
        assert.deepEqual(calls, [["watch_output", "f26Zqx", "n0123", "0", "10"]]);
    });
});
