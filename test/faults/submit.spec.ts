import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { Random } from "../double/support/random";
import { jobsOf } from "../e2e/support/jobsOf";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const ROUNDS = Number(process.env["SUBMISSION_INTERRUPTIONS"] ?? 20);
const SEED = Number(process.env["SUBMISSION_SEED"] ?? 1);
/** Milliseconds in which `submit` has submitted its job, also on a busy machine. */
const SUBMISSION = 6000;

/** A running command, and what it has printed. */
interface Running {
    readonly child: ChildProcess;
    printed: string;
}

const said = (running: Running, text: string | RegExp) =>
    until(`it prints ${text}`, async () => (running.printed.match(text) === null ? undefined : true));

const INTERRUPTIONS = {
    "a second Ctrl-C": async (running: Running) => {
        running.child.kill("SIGINT");
        await said(running, "another Ctrl-C");
        running.child.kill("SIGINT");
    },
    "kill -9": async ({ child }: Running) => void child.kill("SIGKILL"),
} as const;

describe("a command line that is interrupted", function () {
    this.timeout(0);
    const namespace = useNamespace();

    before(async () => {
        const stack = namespace.stack("line", async () => ({
            cluster: new MiniCluster("line", { image: namespace.image, restful: { enabled: false } }),
        }));
        await stack.up();
    });

    function start(...words: string[]): Running {
        const main = join(root, "dist", "cli", "main.js");
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const child = spawn(process.execPath, [main, "-c", "line", ...words], {
            env,
            stdio: ["ignore", "pipe", "pipe"],
        });
        const running: Running = { child, printed: "" };
        for (const stream of [child.stdout, child.stderr]) {
            stream.on("data", (chunk: Buffer) => (running.printed += chunk));
        }
        return running;
    }

    /** Its exit code, or the signal that ended it. */
    async function ended({ child }: Running): Promise<number | string> {
        const [code, signal] = (child.exitCode ?? child.signalCode) === null ? await once(child, "close") : [];
        return code ?? signal ?? child.exitCode ?? child.signalCode;
    }

    const states = (name: string) => jobsOf(namespace, "line", name, "{status}");
    const begin = async (name: string, script: string) => {
        const running = start("submit", "--job-name", name, "sh", "-c", script);
        await said(running, "begun");
        return running;
    };
    const becomes = (name: string, state: string) =>
        until(`the job is ${state}`, async () => (await states(name)).join() === state || undefined);

    /** Until then, an agent may still submit what it was asked for. */
    const agentEnded = () =>
        until("no agent runs in the lead", async () => {
            const look = "grep -l '[o]ne program in the lead' /proc/[0-9]*/cmdline 2>/dev/null || true";
            return (await namespace.exec("line", ["sh", "-c", look])) === "" || undefined;
        });

    it("has cancelled the job that it submitted before a second Ctrl-C", async () => {
        // It ends five seconds after its cancellation.
        const running = await begin("twice", "trap '' TERM; echo begun; while :; do sleep 1; done");
        running.child.kill("SIGINT");
        const [id] = await jobsOf(namespace, "line", "twice");
        await until(
            "Flux has the cancellation",
            async () =>
                /"cancel"/.test(await namespace.exec("line", ["flux", "job", "eventlog", "--format=json", id])) ||
                undefined,
        );
        running.child.kill("SIGINT");
        assert.equal(await ended(running), 130);
        await becomes("twice", "CANCELED");
    });

    for (const command of ["submit", "attach"] as const) {
        it(`leaves the job after kill -9 of ${command}`, async () => {
            const name = `killed-${command}`;
            const submitted = await begin(name, "echo begun; exec sleep 10000");
            const [id] = await jobsOf(namespace, "line", name);
            const killed = command === "submit" ? submitted : start("attach", id);
            await said(killed, "begun");
            for (const running of new Set([killed, submitted])) {
                running.child.kill("SIGKILL");
                assert.equal(await ended(running), "SIGKILL");
            }
            await agentEnded();
            assert.deepEqual(await states(name), ["RUN"]);
            assert.equal(await ended(start("cancel", id)), 0);
            await becomes(name, "CANCELED");
        });
    }

    it(`leaves at most one job at a random moment of submit, which cancel removes (${ROUNDS} of seed ${SEED})`, async () => {
        const random = new Random(SEED);
        const kinds = Object.keys(INTERRUPTIONS) as (keyof typeof INTERRUPTIONS)[];
        const seen = { without: 0, left: 0, cancelled: 0 };
        for (let round = 0; round < ROUNDS; round++) {
            const name = `round-${round}`;
            const kind = kinds[round % kinds.length];
            const running = start("submit", "--job-name", name, "sleep", "10000");
            await setTimeout(random.below(SUBMISSION));
            // A Ctrl-C before `submit` listens ends it at once, and another one has nothing to end.
            await Promise.race([INTERRUPTIONS[kind](running), ended(running)]);
            const code = await ended(running);
            assert.ok(["SIGINT", "SIGKILL", 1, 130, 143].includes(code), `${code}: ${running.printed}`);
            await agentEnded();
            const [id, ...others] = await jobsOf(namespace, "line", name);
            assert.deepEqual(others, []);
            const mayRun = kind === "kill -9" || /job \S+ may still run\. If /.test(running.printed);
            if (id !== undefined && mayRun) {
                await ended(start("cancel", id));
            }
            if (id !== undefined) {
                await becomes(name, "CANCELED");
            }
            seen[id === undefined ? "without" : mayRun ? "left" : "cancelled"]++;
        }
        console.log(`      ${JSON.stringify(seen)}`);
    });
});
