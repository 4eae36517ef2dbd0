import assert from "node:assert/strict";

import { Interrupt } from "flux-minicluster";

import { ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";

const ENDLESS = ["sleep", "inf"];

describe("MiniCluster without a command, with running jobs", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        cluster = new ChangingCluster(namespace, "busy", { size: 2, minSize: 1, maxSize: 2 });
        await cluster.stack.up();
        await namespace.untilCounted("busy", 2);
    });

    const flux = (...words: readonly string[]) => namespace.exec("busy", ["flux", ...words]);

    /** Submits a job that runs until it is cancelled; returns its id. */
    async function start(...options: readonly string[]): Promise<string> {
        const id = (await flux("submit", ...options, ...ENDLESS)).trim();
        await flux("job", "wait-event", "--quiet", id, "start");
        return id.replace("ƒ", "f");
    }

    /** Submits a job, which ends with what is tried, so that the next one gets its rank also if that fails. */
    async function during(options: readonly string[], attempt: (id: string) => Promise<void>): Promise<void> {
        const id = await start(...options);
        try {
            await attempt(id);
        } finally {
            await flux("cancel", id);
            await flux("job", "wait-event", "--quiet", id, "clean");
        }
    }

    /** Requires that preview and update refuse these arguments with this text, and that the pods stay. */
    async function refuses(args: ChangingCluster["args"], text: RegExp): Promise<void> {
        const [given, pods] = [cluster.args, await cluster.podUids()];
        cluster.set(args);
        try {
            for (const verb of ["preview", "up"] as const) {
                const failure = await cluster.stack.fails(verb);
                assert.match(failure.text.replaceAll(/\s+/g, " "), text);
            }
        } finally {
            cluster.args = given;
        }
        assert.deepEqual(await cluster.podUids(), pods);
    }

    it("is not replaced or suspended, and names the job", async () => {
        await during(["-N1", "--requires=rank:0", "--job-name=train"], async (id) => {
            const job = `Flux job runs: train \\(${id}, rank 0, for \\d+ s\\)\\. Wait until it ends, cancel it, or set interrupt`;
            await refuses(
                { environment: { A: "1" } },
                new RegExp(`This change replaces the Job, but the Job's ${job}`),
            );
            await refuses({ suspend: true }, new RegExp(`This change suspends the Job, but the Job's ${job}`));
            assert.match(await flux("jobs", "--filter=running", "--no-header"), /train/);
        });
    });

    it("loses a rank only if no job runs on it", async () => {
        await during(["-N2", "--job-name=wide"], (id) => {
            const text = `removes 1 of the Job's 2 ranks \\(size 1\\), but the Job's Flux job runs: wide \\(${id}, ranks 0-1`;
            return refuses({ size: 1 }, new RegExp(text));
        });
        await start("-N1", "--requires=rank:0", "--job-name=train");
        cluster.set({ size: 1 });
        await cluster.stack.up();
        assert.match(await flux("jobs", "--filter=running", "--no-header"), /train/);
    });

    it("says in a preview what interrupt allows to end, and which jobs are lost", async () => {
        await flux("submit", "--job-name=later", "-N1", "-x", ...ENDLESS);
        cluster.set({ environment: { A: "1" }, interrupt: Interrupt.Allow });
        const { warnings } = await cluster.preview();
        const text = warnings.join("\n");
        assert.match(text, /This change replaces the Job, as interrupt allows: the Job's Flux job runs: train \(f\w+,/);
        assert.match(text, /This change replaces the Job: its pending jobs are lost: later \(f\w+\)\./);
        const { text: printed } = await cluster.stack.up();
        assert.match(printed, /is deleted although its Flux job runs: train/);
        await cluster.assertSettled();
    });

    it("says in pulumi destroy what it ends", async () => {
        const id = await start("--job-name=last");
        const { text } = await cluster.stack.destroy();
        assert.match(text, new RegExp(`is deleted although its Flux job runs: last \\(${id}, rank 0,`));
        assert.equal(await cluster.liveJob(), undefined);
    });
});
