import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { root } from "../../../scripts/local/paths";
import type { Look } from "./look";

const main = join(root, "dist", "cli", "main.js");

export const ended: Look = {
    subject: "that has ended",

    clusters({ image }) {
        return { ended: new MiniCluster("ended", { image, size: 2, command: ["echo", "a b"] }).output };
    },

    tests(_outputs, namespace) {
        it("has a report of its pods and its command, which says that Flux' jobs are missing", () => {
            const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
            const words = [main, "report", "ended", "--json"];
            const report = JSON.parse(execFileSync(process.execPath, words, { env, encoding: "utf8" }));
            const { cluster, failures, jobs, missing, pods, ran, timings } = report;
            assert.deepEqual([cluster.phase, cluster.exitCode, ran.command], ["succeeded", 0, ["echo", "a b"]]);
            assert.deepEqual([failures, jobs], [[], null]);
            assert.deepEqual(missing, [
                "Flux' jobs, the queue and the use of cores: the cluster has ended, and only the lead's broker knows them.",
            ]);
            assert.ok(pods.some(({ endedAt, rank }: any) => rank === 0 && endedAt >= cluster.createdAt));
            assert.ok(timings.quorum <= timings.ended);
        });
    },
};
