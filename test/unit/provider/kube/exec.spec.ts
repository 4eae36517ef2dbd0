import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { mock } from "node:test";

import { connect } from "../../../../provider/kube/client";
import { attach, execute } from "../../../../provider/kube/exec";
import { isTransient } from "../../../../provider/kube/failure";
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
