import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

/** A task of the second rank tells its progress, and the first one prints lines. Both wait for a file. */
const PROGRAM = `if [ "$FLUX_TASK_RANK" = 1 ]; then minicluster-progress 0.25 "step 1 of 4"; else echo "line 1"; echo "line 2"; fi
until [ -e /tmp/go ]; do sleep 0.1; done
[ "$FLUX_TASK_RANK" = 1 ] || { echo "line 3"; echo "1 done" >"$MINICLUSTER_PROGRESS"; }`;

describe("the output and the progress of a command", () => {
    const namespace = useNamespace();

    it("are shown while an update waits, and recorded", async () => {
        const command = ["bash", "-c", PROGRAM];
        const stack = namespace.stack("progress", async () => ({
            cluster: new MiniCluster("told", { image: namespace.image, size: 2, command, output: { stream: true } }),
        }));
        const up = stack.up();
        await until("the row shows the progress", async () => stack.printed.includes("25 %, step 1 of 4") || undefined);
        const words = [join(root, "dist", "cli", "main.js"), "-c", "told", "status"];
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const { stdout } = await promisify(execFile)(process.execPath, words, { env });
        assert.match(stdout, /^progress: 25 %, step 1 of 4$/m);
        for (const rank of [0, 1]) {
            await namespace.exec("told", ["touch", "/tmp/go"], rank);
        }
        const { events, outputs } = await up;
        assert.equal(outputs.cluster.progress, "100 %, done");
        const lasting = events.flatMap(({ diagnosticEvent: line }) => (line && !line.ephemeral ? [line.message] : []));
        const lines = lasting.map((line) => /told: (line \d)/.exec(line)?.[1]).filter((line) => line !== undefined);
        assert.deepEqual(lines, ["line 1", "line 2", "line 3"]);
        assert.doesNotMatch(lasting.join("\n"), /told: minicluster: progress/);
    });

    it("are shown of a FluxJob too", async () => {
        const command = ["bash", "-c", PROGRAM.replaceAll("/tmp/go", "/tmp/gone")];
        const stack = namespace.stack("job", async () => {
            const cluster = new MiniCluster("takes", { image: namespace.image, size: 2, restful: { enabled: false } });
            return { job: new FluxJob("work", { cluster, nodes: 2, command, output: { stream: true } }) };
        });
        const up = stack.up();
        await until("the row shows the progress", async () => stack.printed.includes("25 %, step 1 of 4") || undefined);
        for (const rank of [0, 1]) {
            await namespace.exec("takes", ["touch", "/tmp/gone"], rank);
        }
        const { events, outputs } = await up;
        // What a job tells just before its end may be missing.
        assert.match(outputs.job.progress, /^(25 %, step 1 of 4|100 %, done)$/);
        const lasting = events.flatMap(({ diagnosticEvent: line }) => (line && !line.ephemeral ? [line.message] : []));
        const lines = lasting.map((line) => /work: (line \d)/.exec(line)?.[1]).filter((line) => line !== undefined);
        assert.deepEqual(lines, ["line 1", "line 2", "line 3"]);
    });
});
