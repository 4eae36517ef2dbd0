import assert from "node:assert/strict";
import { once } from "node:events";

import { endFrame, frame, onCall } from "../../support/calls";
import { endOf, printed } from "../../support/fakeExec";
import { end, useMainProgram } from "../../support/mainProgram";

describe("minicluster, interrupted", () => {
    const program = useMainProgram();
    const { api } = program;
    const makeReady = () => program.makeReady();
    const start = (...words: string[]) => program.start(...words);

    /** Interrupts a submission before Flux has told the job's id; `answers` calls tell it afterwards. */
    async function interruptSubmission(answers: boolean, ...options: string[]) {
        makeReady();
        const calls: string[] = [];
        let tellId: () => void = () => undefined;
        let tellCancelled: () => void = () => undefined;
        const cancelled = new Promise<void>((resolve) => (tellCancelled = resolve));
        let tellSubmitting: () => void = () => undefined;
        const submitting = new Promise<void>((resolve) => (tellSubmitting = resolve));
        api.serveCommands((connection) =>
            onCall(connection, ([name], socket) => {
                calls.push(name);
                if (name === "submit") {
                    tellId = () => {
                        socket.send(printed(1, "f26Zqx\n"));
                        socket.send(endOf(0));
                    };
                    tellSubmitting();
                    return;
                }
                if (name === "cancel") {
                    tellCancelled();
                    socket.send(endOf(0));
                } else {
                    void cancelled.then(() => socket.send(printed(1, endFrame(15)))).then(() => socket.send(endOf(0)));
                }
            }),
        );
        const child = start("-n", "hpc", "-c", "lammps", "submit", ...options, "true");
        const ended = end(child);
        await submitting;
        child.kill("SIGINT");
        await once(child.stderr, "readable");
        if (answers) {
            tellId();
        }
        return { ...(await ended), calls };
    }

    it("cancels a job whose id Flux tells after Ctrl-C, also with --detach", async () => {
        for (const options of [[], ["--detach"]]) {
            const { calls, code, stdout } = await interruptSubmission(true, ...options);
            assert.deepEqual([code, stdout, calls.sort()], [143, "", ["cancel", "follow", "submit"]]);
        }
    });

    it("says that a job may run whose id Flux doesn't tell after Ctrl-C", async () => {
        const { calls, code, stderr } = await interruptSubmission(false);
        assert.deepEqual([code, calls], [1, ["submit"]]);
        assert.match(
            stderr,
            /the submission was interrupted, and job true may still run\. If \S.* jobs lists it, \S.* cancel/,
        );
    });

    it("says with the second Ctrl-C that a job may run whose cancellation Flux hasn't taken", async () => {
        makeReady();
        api.serveCommands((connection) =>
            onCall(connection, ([name], socket) => {
                if (name === "submit") {
                    socket.send(printed(1, "f26Zqx\n"));
                    socket.send(endOf(0));
                } else if (name === "follow") {
                    socket.send(printed(1, frame("stdout", "begun\n")));
                } else {
                    child.kill("SIGINT");
                }
            }),
        );
        const child = start("-n", "hpc", "-c", "lammps", "submit", "true");
        const ended = end(child);
        await once(child.stdout, "readable");
        child.kill("SIGINT");
        const { code, stderr } = await ended;
        assert.equal(code, 130);
        assert.match(
            stderr,
            /\nminicluster: job f26Zqx may still run\. If \S.* jobs lists it, \S.* cancel with its id .*\n$/,
        );
    });

    it("says with the second Ctrl-C that a job may run whose id Flux hasn't told", async () => {
        makeReady();
        api.serveCommands((connection) => onCall(connection, () => child.kill("SIGINT")));
        const child = start("-n", "hpc", "-c", "lammps", "submit", "--job-name", "solve", "true");
        const ended = end(child);
        await once(child.stderr, "readable");
        child.kill("SIGINT");
        const { code, stderr } = await ended;
        assert.equal(code, 130);
        assert.match(
            stderr,
            /\nminicluster: job solve may still run\. If \S.* jobs lists it, \S.* cancel with its id .*\n$/,
        );
    });

    it("cancels a job that it is attached to with the second Ctrl-C, and exits with the job's exit code", async () => {
        makeReady();
        const calls: string[] = [];
        let endFollowed: () => void = () => undefined;
        api.serveCommands((connection) =>
            onCall(connection, ([name, jobId, key], socket) => {
                calls.push(`${name} ${jobId}`);
                if (name === "cancel") {
                    socket.send(endOf(0));
                    endFollowed();
                    return;
                }
                assert.equal(key, "");
                socket.send(printed(1, frame("stdout", "begun\n")));
                endFollowed = () => {
                    socket.send(printed(1, endFrame(15)));
                    socket.send(endOf(0));
                };
            }),
        );
        const child = start("-n", "hpc", "attach", "lammps", "ƒ26Zqx");
        const ended = end(child);
        await once(child.stdout, "readable");
        child.kill("SIGINT");
        await once(child.stderr, "readable");
        child.kill("SIGINT");
        const { code, stderr, stdout } = await ended;
        assert.deepEqual([code, stdout, calls], [143, "begun\n", ["follow f26Zqx", "cancel f26Zqx"]]);
        const asked = "minicluster: another Ctrl-C within 2 s cancels f26Zqx, Ctrl-Z leaves it\n";
        assert.equal(stderr, `${asked}minicluster: cancelling f26Zqx\n`);
    });

    it("leaves a job that it is attached to with Ctrl-C and Ctrl-Z", async () => {
        makeReady();
        api.serveCommands((connection) =>
            onCall(connection, (_words, socket) => socket.send(printed(1, frame("stdout", "begun\n")))),
        );
        const child = start("-n", "hpc", "attach", "lammps", "f26Zqx");
        const ended = end(child);
        await once(child.stdout, "readable");
        child.kill("SIGINT");
        await once(child.stderr, "readable");
        child.kill("SIGTSTP");
        const { code, stderr } = await ended;
        assert.equal(code, 148);
        assert.match(stderr, /minicluster: job f26Zqx runs on\n$/);
    });
});
