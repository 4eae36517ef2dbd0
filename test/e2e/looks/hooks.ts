import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { until } from "../support/until";
import type { Look } from "./look";

/** The node of the local cluster is this machine. */
let folder = "";

const note = (what: string): string => `echo ${what} >>/shared/$JOB_COMPLETION_INDEX\n`;

export const hooks: Look = {
    subject: "with hooks",

    async prepare() {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        chmodSync(folder, 0o777);
        return () => rmSync(folder, { recursive: true, force: true });
    },

    clusters({ image }) {
        return {
            hooks: new MiniCluster("hooks", {
                image,
                size: 2,
                volumes: [{ name: "shared", mountPath: "/shared", hostPath: folder }],
                hooks: {
                    init: `${note("init")}export FROM_INIT="$UNSET"'in it'`,
                    pre: `${note("pre")}export FROM_PRE=pre`,
                    lead: `${note("lead")}export FROM_LEAD=lead`,
                    worker: note("worker"),
                    post: note("post"),
                },
                command: [
                    "bash",
                    "-c",
                    'echo "$FROM_INIT, $FROM_PRE, $FROM_LEAD"; echo task >>/shared/$JOB_COMPLETION_INDEX',
                ],
            }).output,
        };
    },

    tests(outputs) {
        it("runs each hook in order on its ranks, and passes the hooks' variables to the command", async () => {
            assert.equal(outputs.hooks, "in it, pre, lead\nin it, pre, lead\n");
            const noted = (rank: number) =>
                readFileSync(join(folder, String(rank)), "utf8")
                    .trim()
                    .split("\n");
            assert.deepEqual(noted(0), ["init", "pre", "lead", "task", "post"]);
            const follower = await until("rank 1 has run its post hook", async () =>
                noted(1).includes("post") ? noted(1) : undefined,
            );
            assert.deepEqual(follower, ["init", "pre", "worker", "task", "post"]);
        });
    },
};
