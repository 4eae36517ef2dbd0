import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { LOGS_CHECKPOINTS, minorIn } from "../double/support/version";
import { doTo } from "./support/podActions";
import { useNamespace } from "./support/namespace";
import { PodEnds } from "./support/podEnds";
import type { Result, TestStack } from "./support/stack";
import { until } from "./support/until";

describe("persistent MiniCluster", () => {
    const namespace = useNamespace();
    let stack: TestStack;
    let up: Result;

    before(async () => {
        stack = namespace.stack("stays", async () => ({
            cluster: new MiniCluster("stays", { image: namespace.image, size: 4, restful: { enabled: false } }),
        }));
        up = await stack.up();
    });

    it("is ready when all ranks have joined", async () => {
        assert.equal(up.outputs.cluster.phase, "ready");
        assert.equal(up.outputs.cluster.exitCode, undefined);
        const list = await namespace.exec("stays", ["flux", "resource", "list", "-no", "{state} {nnodes}"]);
        assert.match(list, /^free 4$/m);
    });

    it("runs a job from kubectl exec on all ranks", async () => {
        const output = await namespace.exec("stays", ["flux", "run", "-N4", "hostname"]);
        assert.deepEqual(output.trim().split("\n").sort(), ["stays-0", "stays-1", "stays-2", "stays-3"]);
    });

    it("runs a job that is submitted on a follower", async () => {
        const output = await namespace.exec("stays", ["flux", "run", "-N1", "echo", "done"], 3);
        assert.equal(output.trim(), "done");
    });

    it("fails running jobs and runs pending jobs when the lead's broker is killed", async () => {
        const submit = async (...command: string[]) => (await flux("submit", "-N4", "-x", ...command)).trim();
        const running = await submit("sleep", "600");
        const waiting = await submit("echo", "kept");
        const submitted = Number(await flux("jobs", "-no", "{t_submit}", waiting));
        const newest = minorIn(await flux("version")) < LOGS_CHECKPOINTS ? askForCheckpoint : findCheckpoint;
        await until("the queue is in a checkpoint", async () => (await newest()) > submitted || undefined);
        await doTo(namespace, "stays", 0, "broker is killed");
        await until("both jobs have ended", async () => {
            const jobs = await flux("jobs", "-a", "-no", "{id} {status_abbrev}").catch(() => "");
            return (jobs.includes(`${running} F`) && jobs.includes(`${waiting} CD`)) || undefined;
        });
        assert.equal(await flux("job", "attach", waiting), "kept\n".repeat(4));
    });

    it("shows no changes in another update and refresh", () => stack.unchanged());

    const flux = (...args: string[]) => namespace.exec("stays", ["flux", ...args]);

    /** Seconds since the epoch. */
    async function findCheckpoint(): Promise<number> {
        const lines = (await flux("dmesg")).split("\n").filter((line) => line.includes("checkpoint-put"));
        return Date.parse(lines.at(-1)?.split(" ", 1)[0] ?? "1970-01-01") / 1000;
    }

    async function askForCheckpoint(): Promise<number> {
        const ask = 'flux.Flux().rpc("content.checkpoint-get", {"key": "kvs-primary"}).get()["value"]["timestamp"]';
        return Number(await flux("python", "-c", `import flux; print(${ask})`).catch(() => 0));
    }

    it("leaves nothing when it is destroyed, and ends all ranks within their grace period", async () => {
        const ends = await PodEnds.watch(namespace, 4);
        await stack.destroy();
        await namespace.assertNothingLeft();
        assert.deepEqual(await ends.killed(), []);
    });
});
