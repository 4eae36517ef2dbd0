import assert from "node:assert/strict";

import { withInstance } from "./support/instance";

/** Seconds of exec.kill-timeout. Flux must be able to clean up in less than 5 times this on a busy machine. */
const KILL_TIMEOUT = 2;
/** Seconds until the shells of an ended job get SIGKILL: 5 times exec.kill-timeout, after flux-config-exec(5). */
const SHELLS_KILLED = 5 * KILL_TIMEOUT;
/** Tolerance in seconds, because brokers and jobs read their clocks at different moments. */
const INEXACT = 0.3;

interface Event {
    readonly name: string;
    readonly timestamp: number;
    readonly context?: { readonly type?: string };
}

describe("job with an exception", function () {
    this.timeout(120_000);
    const instance = withInstance({ more: `[exec]\nkill-timeout = "${KILL_TIMEOUT}s"` });

    it("ends by SIGTERM", async () => {
        const job = await started(`trap 'echo asked; exit 0' TERM; while :; do sleep 0.1; done`);
        await instance().flux("cancel", job);
        const { code, stdout } = await instance().flux("job", "attach", job);
        assert.equal(code, 1);
        assert.equal(stdout, "asked\n");
    });

    it("gets SIGKILL after kill-timeout if it ignores SIGTERM", async () => {
        const job = await started(`trap "" TERM; while :; do sleep 0.1; done`);
        await instance().flux("cancel", job);
        assert.equal((await instance().flux("job", "attach", job)).code, 137);
        const waited = await secondsToEnd(job);
        assert(waited >= KILL_TIMEOUT - INEXACT && waited < SHELLS_KILLED - INEXACT, `${waited} s`);
    });

    it("ends only with its shells if one of its ranks leaves in order", async () => {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await lead.says(/quorum->run/);
        const job = await submitted("-N3", "sleep", "1000");
        followers[1]?.kill("SIGTERM");
        assert.equal((await followers[1]?.ended)?.code, 0);
        await instance().flux("job", "wait-event", job, "clean");
        const waited = await secondsToEnd(job);
        assert(waited >= SHELLS_KILLED - INEXACT, `${waited} s`);
    });

    async function started(line: string): Promise<string> {
        const { lead } = await instance().run(3, "sleep 1000");
        await lead.says(/quorum->run/);
        const job = await submitted("sh", "-c", `echo > ${instance().path("runs")}; ${line}`);
        await instance().read("runs");
        return job;
    }

    async function submitted(...args: string[]): Promise<string> {
        const { stdout } = await instance().flux("submit", ...args);
        const job = stdout.trim();
        assert.equal((await instance().flux("job", "wait-event", "--quiet", job, "start")).code, 0);
        return job;
    }

    /** Seconds from the first exception to the end of the last shell. */
    async function secondsToEnd(job: string): Promise<number> {
        const { stdout } = await instance().flux("job", "eventlog", "--format=json", job);
        const events = stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as Event);
        const at = (name: string): number => events.find((event) => event.name === name)?.timestamp ?? NaN;
        return at("finish") - at("exception");
    }
});

describe("lead that ends together with its followers", function () {
    this.timeout(120_000);
    const instance = withInstance({ more: `[exec]\nkill-timeout = "${KILL_TIMEOUT}s"` });

    it("stays in its clean-up until the shells of a job are killed", async () => {
        const cleanup = await leave(async () => undefined);
        assert(cleanup >= SHELLS_KILLED - INEXACT, `${cleanup} s`);
    });

    it("finishes its clean-up sooner if the job has ended first", async () => {
        const cleanup = await leave(async (job) => {
            await instance().flux("job", "raiseall", "-f", "-s", "0", "-S", "RUN", "cancel", "the cluster ends");
            await instance().flux("job", "wait-event", job, "clean");
        });
        assert(cleanup < SHELLS_KILLED - INEXACT, `${cleanup} s`);
    });

    /** Ends three brokers that run a job. Returns the seconds of the lead's clean-up. */
    async function leave(before: (job: string) => Promise<void>): Promise<number> {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await lead.says(/quorum->run/);
        const job = (await instance().flux("submit", "-N3", "sleep", "1000")).stdout.trim();
        await instance().flux("job", "wait-event", "--quiet", job, "start");
        await before(job);
        for (const broker of [...followers, lead]) {
            broker.kill("SIGTERM");
        }
        for (const follower of followers) {
            assert.equal((await follower.ended).code, 0);
        }
        assert.equal((await lead.ended).code, 129);
        return seconds(/cleanup-\w+: cleanup->shutdown (\S+)/.exec(lead.stderr)?.[1] ?? "");
    }
});

/** Seconds of a duration in the log: `12.5ms`, `3.1s`, `1.2m`. */
function seconds(text: string): number {
    const [, number, unit] = /^([\d.]+)(ms|s|m)$/.exec(text) ?? [];
    return Number(number) * { ms: 0.001, s: 1, m: 60 }[unit as "m" | "ms" | "s"];
}
