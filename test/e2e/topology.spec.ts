import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

describe("MiniCluster with maxSize above size", () => {
    const namespace = useNamespace();

    it("starts its ranks and lists the possible other ranks as down", async () => {
        const stack = namespace.stack("elastic", async () => ({
            phase: new MiniCluster("elastic", {
                image: namespace.image,
                size: 2,
                maxSize: 4,
                restful: { enabled: false },
            }).phase,
        }));
        const { outputs } = await stack.up();
        assert.equal(outputs.phase, "ready");
        const list = async (states: string) =>
            (
                await namespace.exec("elastic", [
                    "flux",
                    "resource",
                    "list",
                    "-no",
                    "{nnodes} {nodelist}",
                    "-s",
                    states,
                ])
            ).trim();
        assert.equal(await list("free"), "2 elastic-[0-1]");
        assert.equal(await list("down"), "2 elastic-[2-3]");
        const output = await namespace.exec("elastic", ["flux", "run", "-N2", "hostname"]);
        assert.deepEqual(output.trim().split("\n").sort(), ["elastic-0", "elastic-1"]);
    });
});
