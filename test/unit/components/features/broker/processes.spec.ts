import assert from "node:assert/strict";
import { spawn } from "node:child_process";

import { isAlive, killProcessesWith, processesWith } from "../../../support/processes";
import { type Running, Sandbox } from "../../../support/sandbox";

/** The variables that Flux gives a task, and that a broker gives the programs that it starts. */
const TASK = 'FLUX_JOB_ID=f1 FLUX_URI="local://$MINICLUSTER_RUN/broker/local"';
/** A script of a nested instance, whose broker removed FLUX_JOB_ID before a signal to all brokers killed it. */
const NESTED = "FLUX_ENCLOSING_ID=f1 FLUX_URI=local:///elsewhere/local-0";

/** Starts a program through `env WORDS`, beside the broker and without its pipes, and records its process id. */
const begin = (words: string, program: string) =>
    `env ${words} bash -c 'echo "$$" >>"$SANDBOX/started"; ${program}' >>"$SANDBOX/out" 2>&1 &`;
const noted = (count: number) =>
    `until [[ $(wc -l 2>/dev/null <"$SANDBOX/started") -ge ${count} ]]; do sleep 0.02; done`;
const KILLED = 'kill -s KILL "$$"';

describe("processes.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ command: [] }, 1);
        // As wait.sh does before it passes on a signal.
        pod.write("run/flux/stopped", "yes\n");
    });
    afterEach(() => {
        killProcessesWith(`SANDBOX=${pod.root}`);
        pod.remove();
    });

    const run = (restart: string, stub: string, variables: Record<string, string> = {}): Running =>
        pod.start("supervise", [restart, "flux", "broker"], { FLUX_STUB: stub, ...variables });
    const started = () => (pod.has("started") ? pod.read("started").split("\n").filter(Boolean).map(Number) : []);
    const alive = () => started().filter(isAlive);

    const kinds: [string, string, string, number][] = [
        ["a task", TASK, "exec sleep 600", 1],
        ["a task that ignores signals", TASK, 'trap "" TERM HUP; exec sleep 600', 1],
        ["a child without its task's environment", TASK, 'env -i sleep 600 & echo $! >>"$SANDBOX/started"; wait', 2],
        ["a shell of Flux or an initial program", "-u FLUX_STUB", "exec sleep 600", 1],
        ["a script of a nested instance", NESTED, "exec sleep 600", 1],
    ];
    for (const [name, words, program, count] of kinds) {
        it(`ends ${name} before it restarts a killed broker`, async () => {
            const first = `[[ ! -e $SANDBOX/first ]] || exec sleep 600; : >"$SANDBOX/first"; ${begin(words, program)} ${noted(count)}; ${KILLED}`;
            run("always", first);
            await pod.until(() => pod.calls.length > 1, "another broker");
            assert.equal(started().length, count);
            assert.deepEqual(alive(), []);
        });

        it(`ends ${name} before the pod of a killed broker ends`, async () => {
            assert.equal((await run("never", `${begin(words, program)} ${noted(count)}; ${KILLED}`).ended).code, 137);
            assert.equal(started().length, count);
            assert.deepEqual(alive(), []);
        });
    }

    it("leaves processes alone that aren't its broker's", async () => {
        const run1 = `FLUX_URI=local://${pod.path("run/flux")}/broker/local`;
        const others = [[run1], [`SANDBOX=${pod.root}`, "FLUX_JOB_ID=f1", "FLUX_URI=local:///other/broker/local"]].map(
            (words) => {
                const [file, ...more] = ["env", ...words, "sleep", "600"];
                return spawn(file, more, { stdio: "ignore" });
            },
        );
        try {
            await run("never", KILLED).ended;
            assert.deepEqual(
                others.map(({ pid }) => isAlive(pid!)),
                [true, true],
            );
        } finally {
            others.forEach((other) => other.kill("SIGKILL"));
        }
    });

    describe("on a stopped follower of an ephemeral cluster", () => {
        const stopped = async (program: string, variables: Record<string, string> = {}) => {
            const running = run("always", `${begin(TASK, program)} trap "" TERM; while :; do sleep 0.05; done`, {
                MINICLUSTER_MODE: "ephemeral",
                ...variables,
            });
            await pod.until(() => pod.has("up"), "the task");
            running.signal("SIGTERM");
            const { code } = await running.ended;
            assert.equal(code, 143);
            assert.deepEqual(processesWith(`SANDBOX=${pod.root}`), []);
        };

        it("signals the tasks, and ends the broker", async () => {
            await stopped('trap "echo told; exit" TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done');
            assert.match(pod.read("out"), /^told$/m);
        });

        it("ends tasks that ignore the signal", async () => {
            pod.write("bin/sleep", '#!/bin/sh\n[ "$1" != 0.1 ] || exec /bin/sleep 0.02\nexec /bin/sleep "$1"\n', 0o755);
            await stopped('trap "" TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done');
        });

        it("lets a task save its work for more than 5 s if the grace period is longer", async () => {
            const save = "for ((step = 0; step < 60; step++)); do sleep 0.1; done; echo saved; exit";
            await stopped(`trap "${save}" TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done`, {
                MINICLUSTER_TASK_SECONDS: "55",
            });
            assert.match(pod.read("out"), /^saved$/m);
        });

        it("runs the post hook after all tasks have ended", async () => {
            const hook =
                'for pid in $(<"$SANDBOX/started"); do cat "/proc/$pid/environ"; done >"$SANDBOX/post" 2>/dev/null\n';
            pod.write("etc/flux-minicluster/hook-post.sh", hook);
            await stopped('trap "exit" TERM; : >"$SANDBOX/up"; while :; do sleep 0.05; done');
            // The environment of a zombie is empty.
            assert.equal(pod.read("post"), "");
        });
    });
});

/** A broker that ignores SIGTERM while it loads its modules, then has its quorum (the lead), runs a task and ends. */
const LIFE = `mkfifo "$SANDBOX/nothing.$$"; exec 3<>"$SANDBOX/nothing.$$"; trap '' TERM; read -rt 0.15 -u 3; trap 'exit 0' TERM
[[ $JOB_COMPLETION_INDEX != 0 ]] || : >"$MINICLUSTER_RUN/quorum"
${begin(TASK, "exec sleep 600")} while :; do read -rt 0.05 -u 3; done`;

describe("supervise.sh, stopped during a broker's start", () => {
    const pods: Sandbox[] = [];

    afterEach(() =>
        pods.splice(0).forEach((pod) => {
            killProcessesWith(`SANDBOX=${pod.root}`);
            pod.remove();
        }),
    );

    /** Stops a pod after so many milliseconds. */
    async function endAfter(milliseconds: number, restart: string, mode: string, rank: number): Promise<void> {
        const pod = new Sandbox({ command: [] }, rank);
        pods.push(pod);
        pod.write("run/flux/stopped", "yes\n");
        pod.write("bin/sleep", '#!/bin/sh\n[ "$1" != 1 ] || exec /bin/sleep 0.1\nexec /bin/sleep "$1"\n', 0o755);
        const running = pod.start("supervise", [restart, "flux", "broker"], {
            FLUX_STUB: LIFE,
            MINICLUSTER_MODE: mode,
        });
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        running.signal("SIGTERM");
        const { code } = await running.ended;
        // Before bash has set its traps, the signal ends it, which wait.sh sees as 143.
        assert.equal(code ?? 143, 143, `after ${milliseconds} ms`);
        await pod.until(() => processesWith(`SANDBOX=${pod.root}`).length === 0, "the end of all");
    }

    for (const [who, restart, mode, rank, after] of [
        ["lead", "never", "ephemeral", 0, 0],
        ["lead", "failure", "persistent", 0, 10],
        ["follower", "always", "ephemeral", 1, 20],
        ["follower", "always", "persistent", 1, 30],
    ] as const) {
        it(`exits with 143 and leaves no process (${mode}, ${who})`, async function () {
            this.timeout(120_000).slow(60_000);
            // All four run one script: together, their moments are 10 ms apart.
            const moments = Array.from({ length: 10 }, (_, count) => after + count * 40);
            for (let first = 0; first < moments.length; first += 4) {
                await Promise.all(
                    moments.slice(first, first + 4).map((moment) => endAfter(moment, restart, mode, rank)),
                );
            }
        });
    }
});
