import assert from "node:assert/strict";

import type { Running } from "./support/flux";
import { withInstance } from "./support/instance";
import { onlySince, SCHEDULER_HAS_PROCESS } from "./support/version";

/*
 * The end of the lead's broker when its initial program is one that ends with 0 at SIGHUP. supervise.sh and stay.sh
 * tell `flux shutdown` from all other ends by these exit codes, and by the log.
 */

const CODE = 76;
const settings = [`-Sbroker.exit-norestart=${CODE}`, "-Sbroker.module-nopanic=0"];
/**
 * Lets the initial program wait for SIGHUP, without child processes. Not in bash, which can lose a trap that comes
 * while it executes `read -t`.
 */
const wait = (atSignal: string, first = ":") => `exec python3 -c '${WAIT}' '${first}' '${atSignal}'`;
const WAIT = `
import os, signal, subprocess, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
print("begun", flush=True)
subprocess.call(["bash", "-c", sys.argv[1]])
signal.sigwait([signal.SIGHUP])
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])
os.execvp("bash", ["bash", "-c", sys.argv[2]])
`;
/** Kills the scheduler's process, whose name is written so that the shell doesn't find itself. */
const killScheduler = (signal: string) =>
    `for each in /proc/[0-9]*; do [[ $(tr "\\0" " " <"$each/cmdline") != *module-python-ex"ec"* ]] || kill -s ${signal} "\${each##*/}"; done`;

describe("broker with broker.exit-norestart", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 1 });
    const lead = (program: string): Promise<Running> => instance().broker(0, [...settings, "bash", "-c", program]);

    for (const options of [[], ["--background"]]) {
        it(`ends with that code after flux shutdown ${options.join("")}`.trim(), async () => {
            const broker = await lead(wait("exit 0"));
            await broker.says(/^begun$/m);
            assert.equal((await instance().flux("shutdown", ...options)).code, 0);
            assert.equal((await broker.ended).code, CODE);
        });
    }

    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGALRM"] as const) {
        it(`ends with another code at ${signal}`, async () => {
            const broker = await lead(wait("exit 0"));
            await broker.says(/^begun$/m);
            broker.kill(signal);
            assert.equal((await broker.ended).code, 1);
        });
    }

    it("ends with 0 if the initial program ends by itself", async () => {
        assert.equal((await (await lead("exit 0")).ended).code, 0);
    });

    it("ends with that code if rc1 fails", async () => {
        const broker = await instance().broker(0, [...settings, "-Sbroker.rc2_none"], { FLUX_RC_EXTRA: rc1Folder() });
        assert.equal((await broker.ended).code, CODE);
    });

    function rc1Folder(): string {
        instance().write("extra/rc1.d/fail", "#!/bin/sh\nexit 3\n", 0o755);
        return instance().path("extra");
    }

    describe("and the process of its scheduler", () => {
        onlySince(SCHEDULER_HAS_PROCESS);

        for (const signal of ["KILL", "TERM"]) {
            it(`ends with that code too when a job sends SIG${signal} to the process`, async () => {
                const broker = await lead(wait("exit 0", killScheduler(signal)));
                assert.equal((await broker.ended).code, CODE);
                assert.match(broker.stderr, /broker\.crit\[0\]: sched-simple module runtime failure\n/);
            });
        }

        it("ends with that code although it got a signal before the process ended", async () => {
            const broker = await lead(
                wait(`${killScheduler("KILL")}; until flux dmesg | grep -q "runtime failure"; do :; done; exit 0`),
            );
            await broker.says(/^begun$/m);
            broker.kill("SIGTERM");
            assert.equal((await broker.ended).code, CODE);
        });

        it("has the failure in its log before the initial program gets SIGHUP", async () => {
            const broker = await lead(wait("flux dmesg; exit 0", killScheduler("KILL")));
            await broker.ended;
            assert.match(broker.stdout, /^\S+ broker\.crit\[0\]: sched-simple module runtime failure$/m);
        });
    });

    describe("and broker.module-nopanic set while it runs", () => {
        onlySince(SCHEDULER_HAS_PROCESS);

        it("goes on without a module that fails, and ends with the code of its initial program", async function () {
            const broker = await lead(
                `flux setattr broker.module-nopanic 1; ${killScheduler("KILL")}
until flux dmesg | grep "runtime failure"; do :; done; exit 5`,
            );
            assert.equal((await broker.ended).code, 5);
        });
    });
});
