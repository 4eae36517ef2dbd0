import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { mock } from "node:test";

import { connect } from "../../../../provider/kubernetes/client";
import { attach, execute } from "../../../../provider/kubernetes/streams/exec";
import { isTransient } from "../../../../provider/kubernetes/failures/failure";
import { type Behaviour, endOf, FakeExec, printed } from "../../support/fakeExec";

describe("execute", () => {
    const container = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };
    let fake: FakeExec | undefined;

    afterEach(async () => {
        mock.timers.reset();
        await fake?.stop();
    });

    async function run(behaviour: Behaviour, { seconds = 10, signal = new AbortController().signal } = {}) {
        fake = await FakeExec.start(behaviour);
        return execute(connect({ kubeconfig: fake.kubeconfig }), container, {
            command: ["id"],
            input: "in",
            seconds,
            signal,
        });
    }

    const passes = (message: string) => (error: Error) => {
        assert.deepEqual([error.message, isTransient(error)], [message, true]);
        return true;
    };

    it("returns the output of a command and its exit code", async () => {
        const command = (socket: any) =>
            socket.on("message", (text: Buffer) => {
                socket.send(printed(1, `out of ${text.subarray(1)}`));
                socket.send(printed(2, "err"));
                socket.send(endOf(7));
            });
        assert.deepEqual(await run({ command }), { exitCode: 7, stdout: "out of in", stderr: "err" });
    });

    it("fails if a command doesn't end in time", async () => {
        const message = "a command in pod lammps-0-x has not ended within 0.2 s";
        await assert.rejects(run({ command: () => undefined }, { seconds: 0.2 }), passes(message));
    });

    it("fails if the connection isn't established in time", async () => {
        const message = "a command in pod lammps-0-x has not ended within 0.2 s";
        await assert.rejects(run({ upgrade: () => undefined }, { seconds: 0.2 }), passes(message));
    });

    for (const behaviour of ["command", "upgrade"] as const) {
        it(`ends at once on its signal, even while it connects (${behaviour})`, async () => {
            const stop = new AbortController();
            const running = run({ [behaviour]: () => stop.abort(new Error("cancelled")) }, { signal: stop.signal });
            await assert.rejects(running, { message: "cancelled" });
        });
    }

    it("fails if the connection breaks", async () => {
        const running = run({ command: (socket) => socket.terminate() });
        await assert.rejects(running, passes("the connection to lammps-0-x broke"));
    });

    it("passes for a container that has ended, and not for a program that doesn't exist", async () => {
        const answer = (message: string) => {
            const status = Buffer.from(
                JSON.stringify({ status: "Failure", reason: "InternalError", code: 500, message }),
            );
            return { command: (socket: any) => socket.send(Buffer.concat([Buffer.from([3]), status])) };
        };
        const ended = "container is in CONTAINER_EXITED state";
        await assert.rejects(run(answer(ended)), passes(ended));
        await fake?.stop();
        const missing = 'exec: "bash": executable file not found in $PATH';
        await assert.rejects(run(answer(missing)), (error: Error) => {
            assert.deepEqual([error.message, isTransient(error)], [missing, false]);
            return true;
        });
    });

    it("connects again with another credential if the API server refuses the first one", async () => {
        const folder = mkdtempSync(join(tmpdir(), "exec-"));
        const given: (string | undefined)[] = [];
        fake = await FakeExec.start({
            accepts: (authorization) => given.push(authorization) > 1,
            command: (socket) => socket.send(endOf(0)),
        });
        writeFileSync(join(folder, "token"), "old");
        const users = [{ name: "me", user: { tokenFile: join(folder, "token") } }];
        const kube = connect({ kubeconfig: JSON.stringify({ ...JSON.parse(fake.kubeconfig), users }) });
        const signal = new AbortController().signal;
        assert.equal((await execute(kube, container, { command: ["id"], input: "", seconds: 9, signal })).exitCode, 0);
        assert.deepEqual(given, ["Bearer old", "Bearer old"]);
        rmSync(folder, { recursive: true });
    });

    describe("with a reader that is slow", () => {
        /** A reader that takes one chunk each time it is told to. */
        function slow() {
            let [bytes, take] = [0, () => {}];
            const stream = new Writable({
                write: (chunk: Buffer, _encoding, done) => {
                    bytes += chunk.length;
                    take = done;
                },
            });
            // A stream fails if one chunk is taken twice.
            const takeOnce = () => {
                const now = take;
                take = () => {};
                now();
            };
            return { stream, bytes: () => bytes, take: takeOnce };
        }

        const chunk = "x".repeat(100_000);
        const sending = 400;

        /** Attaches the reader to a command that prints 40 MB and ends. */
        async function open(stream: Writable) {
            const command = (socket: any) => {
                Array.from({ length: sending }, () => socket.send(printed(1, chunk)));
                socket.send(endOf(0));
            };
            fake = await FakeExec.start({ command });
            const signal = new AbortController().signal;
            const streams = { stdout: stream, stderr: new PassThrough(), signal };
            const kube = connect({ kubeconfig: fake.kubeconfig });
            const ended = attach(kube, container, { command: ["id"], ...streams });
            return { ended };
        }

        it("reads no more than the reader takes, and ends when it has taken everything", async () => {
            const reader = slow();
            const { ended } = await open(reader.stream);
            let [isOver, most] = [false, 0];
            void ended.then(() => (isOver = true));
            while (reader.bytes() === 0) {
                await new Promise((resolve) => setImmediate(resolve));
            }
            while (reader.bytes() < sending * chunk.length) {
                assert.equal(isOver, false);
                // Some messages of one packet come even after the pause.
                most = Math.max(most, reader.stream.writableLength);
                reader.take();
                await new Promise((resolve) => setImmediate(resolve));
            }
            reader.take();
            assert.equal(await ended, 0);
            assert.ok(most < 20 * chunk.length, `${most} bytes waited for the reader`);
        });

        it("keeps a connection that is not read for long", async () => {
            mock.timers.enable({ apis: ["setInterval"] });
            const reader = slow();
            const { ended } = await open(reader.stream);
            while (reader.bytes() === 0) {
                await new Promise((resolve) => setImmediate(resolve));
            }
            for (let sent = 0; sent < 30; sent++) {
                mock.timers.tick(5000);
            }
            while (reader.bytes() < sending * chunk.length) {
                reader.take();
                await new Promise((resolve) => setImmediate(resolve));
            }
            reader.take();
            assert.equal(await ended, 0);
        });

        it("fails if the reader fails", async () => {
            const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no space left")) });
            await assert.rejects((await open(stream)).ended, { message: "no space left" });
        });
    });

    describe("with pings", () => {
        /** Runs a command. Returns its end, and the container's socket once the client is connected too. */
        async function open(pongs: boolean) {
            mock.timers.enable({ apis: ["setInterval"] });
            let socket: any;
            fake = await FakeExec.start({ command: (accepted) => (socket = accepted), pongs });
            const kube = connect({ kubeconfig: fake.kubeconfig });
            const streams = {
                stdout: new PassThrough(),
                stderr: new PassThrough(),
                signal: new AbortController().signal,
            };
            let ended = Promise.resolve(0);
            await new Promise<void>((connected) => {
                ended = attach(kube, container, { command: ["id"], ...streams, connected });
            });
            return { ended: () => ended, socket };
        }

        /** Lets the time between two pings pass. */
        async function ping(socket: any): Promise<void> {
            const pinged = once(socket, "ping");
            mock.timers.tick(5000);
            await pinged;
        }

        it("treats a connection that doesn't answer them as broken", async () => {
            const { ended, socket } = await open(false);
            for (let sent = 0; sent < 12; sent++) {
                await ping(socket);
            }
            mock.timers.tick(5000);
            await assert.rejects(ended(), passes("the connection to lammps-0-x broke"));
        });

        it("keeps a silent connection that answers them", async () => {
            const { ended, socket } = await open(true);
            for (let sent = 0; sent < 30; sent++) {
                await ping(socket);
                // Frames keep their order: an answer to the server's own ping comes after that to the client's.
                const answered = once(socket, "pong");
                socket.ping();
                await answered;
            }
            socket.send(endOf(0));
            assert.equal(await ended(), 0);
        });
    });
});
