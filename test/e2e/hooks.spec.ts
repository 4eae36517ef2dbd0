import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

describe("hooks", () => {
    const namespace = useNamespace();
    /** The node of the local cluster is this machine. */
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));

    before(() => chmodSync(folder, 0o777));
    after(() => rmSync(folder, { recursive: true, force: true }));

    it("run in their order on the ranks that they are for, and reach the command", async () => {
        const note = (what: string) => `echo ${what} >>/shared/$JOB_COMPLETION_INDEX\n`;
        const stack = namespace.stack("hooks", async () => ({
            output: new MiniCluster("hooks", {
                image: namespace.image,
                size: 2,
                volumes: [{ name: "shared", mountPath: "/shared", hostPath: folder }],
                hooks: {
                    init: `${note("init")}export FROM_INIT="$UNSET"'in it'`,
                    pre: `${note("pre")}export FROM_PRE=pre`,
                    lead: `${note("lead")}export FROM_LEAD=lead`,
                    worker: note("worker"),
                    post: note("post"),
                },
                command: ["bash", "-c", 'echo "$FROM_INIT, $FROM_PRE, $FROM_LEAD"; echo task >>/shared/$JOB_COMPLETION_INDEX'],
            }).output,
        }));
        const { outputs } = await stack.up();
        assert.equal(outputs.output, "in it, pre, lead\nin it, pre, lead\n");
        const noted = (rank: number) => readFileSync(join(folder, String(rank)), "utf8").trim().split("\n");
        assert.deepEqual(noted(0), ["init", "pre", "lead", "task", "post"]);
        const follower = await until("rank 1 has run its post hook", async () => (noted(1).includes("post") ? noted(1) : undefined));
        assert.deepEqual(follower, ["init", "pre", "worker", "task", "post"]);
    });

    it("end their pod with their exit code when they fail", async () => {
        const stack = namespace.stack("broken", async () => {
            const hooks = { init: "echo no scratch disk\nexit 3\n" };
            new MiniCluster("broken", { image: namespace.image, hooks, command: ["hostname"] });
        });
        const { text } = await stack.fails("up");
        assert.match(text, /exit code 3/);
        assert.match(text, /no scratch disk/);
    });
});
