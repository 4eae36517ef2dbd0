import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { FluxJob, type FluxJobArgs, MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { minorIn, SHELL_HOLDS_BACK } from "../double/support/version";
import { useNamespace } from "./support/namespace";

const LINE = `${"0123456789".repeat(10)}\n`;
/** More than `flux job attach` can read with the lead's memory: it needs ten times as much. */
const BYTES = 56_000_000;
/** Of the lead. Before Flux' shell holds a job back, it takes up to 400 MB itself. */
const [MEMORY, MEMORY_OF_OLD_FLUX] = ["512Mi", "1Gi"];
const printing = (bytes: number) => ["bash", "-c", `yes ${LINE.trim()} | head -c ${bytes}; echo; echo DONE`];

describe("large output of a FluxJob", () => {
    const namespace = useNamespace();
    let cluster: any;

    before(async () => {
        const args = { image: namespace.image, size: 1, restful: { enabled: false } };
        let memory = MEMORY;
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", {
                ...args,
                resources: { limits: { cpu: "2", memory }, requests: { cpu: "100m", memory: "64Mi" } },
            }),
        }));
        cluster = (await stack.up()).outputs.cluster;
        if (minorIn(await flux("version")) < SHELL_HOLDS_BACK) {
            memory = MEMORY_OF_OLD_FLUX;
            cluster = (await stack.up()).outputs.cluster;
        }
        await flux("submit", "--job-name=witness", "sleep", "10000");
    });

    const flux = (...words: string[]) => namespace.exec("flux", ["flux", ...words]);

    /** Fails if the lead or a job was lost. */
    async function expectAlive(): Promise<void> {
        assert.equal(await flux("jobs", "-no", "{state}", "--name=witness"), "RUN\n");
        const [pod] = await namespace.pods("flux");
        assert.deepEqual(
            pod.status?.containerStatuses?.map(({ restartCount }) => restartCount),
            [0],
        );
    }

    async function run(name: string, args: Omit<FluxJobArgs, "cluster">): Promise<any> {
        const stack = namespace.stack(name, async () => ({ job: new FluxJob(name, { cluster, ...args }) }));
        const { job } = (await stack.up()).outputs;
        await expectAlive();
        await stack.destroy();
        return job;
    }

    it("is recorded by its end, and other jobs go on", async () => {
        const { exitCode, output, phase } = await run("loud", { command: printing(BYTES) });
        assert.deepEqual([phase, exitCode, output.length], ["succeeded", 0, 16384]);
        assert.ok(output.endsWith(`${LINE}${LINE.slice(0, BYTES % LINE.length)}\nDONE\n`), output.slice(-300));
    });

    it("is recorded by its end for an array, each line with its index", async () => {
        const { elements, output } = await run("louder", { array: { count: 2 }, command: printing(BYTES / 4) });
        assert.deepEqual([elements.succeeded, output.length], [2, 16384]);
        assert.ok(output.endsWith(`\n1: ${LINE.slice(0, (BYTES / 4) % LINE.length)}\n1: DONE\n`), output.slice(-300));
    });

    it("is printed whole by minicluster submit, also to a slow reader", async () => {
        // The stand-in needs more memory than Flux for an output that is followed.
        const bytes = process.env.FLUX_IMAGE ? BYTES : BYTES / 4;
        const words = [join(root, "dist", "cli", "main.js"), "-c", "flux", "submit", "--", ...printing(bytes)];
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "inherit"] });
        const closed = once(child, "close");
        let length = 0;
        let end = "";
        for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
            length += chunk.length;
            end = (end + chunk.toString()).slice(-100);
            await new Promise((resolve) => setImmediate(resolve));
        }
        assert.deepEqual([(await closed)[0], length], [0, bytes + "\nDONE\n".length]);
        assert.ok(end.endsWith("\nDONE\n"), end);
        await expectAlive();
    });
});
