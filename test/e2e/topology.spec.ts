import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import type { Result } from "./support/stack";

describe("the shape of a cluster", () => {
    const namespace = useNamespace();
    let up: Result;

    before(async () => {
        const { image } = namespace;
        const stack = namespace.stack("shape", async () => ({
            flat: new MiniCluster("flat", { image, size: 4, launcher: true, command: ["flux", "overlay", "status", "--no-pretty"] }).output,
            tree: new MiniCluster("tree", {
                image,
                size: 4,
                launcher: true,
                broker: { topology: "kary:2" },
                command: ["flux", "overlay", "status"],
            }).output,
            launcher: new MiniCluster("launcher", {
                image,
                size: 2,
                launcher: true,
                command: ["bash", "-c", "flux submit --wait -N2 hostname >/dev/null; flux run -N2 hostname; echo $#", "zero", "one two", "three"],
            }).output,
        }));
        up = await stack.up();
    });

    it("is flat by default: all ranks hang on rank 0", () => {
        const lines = up.outputs.flat.trim().split("\n");
        assert.deepEqual(lines.map((line: string) => line.trim().split(" ")[0]), ["0", "1", "2", "3"]);
        assert(lines.every((line: string) => /: full/.test(line)), up.outputs.flat);
    });

    it("is a tree where one is asked for", () => {
        assert.match(up.outputs.tree, /├─ 1 tree-1: full[^]*\n│ +└─ 3 tree-3: full[^]*\n└─ 2 tree-2: full/);
    });

    it("is the launcher's to use, and it runs once", () => {
        const lines = up.outputs.launcher.trim().split("\n").filter((line: string) => !line.startsWith("ƒ"));
        assert.deepEqual(lines.sort(), ["2", "launcher-0", "launcher-1"]);
    });
});

describe("a cluster that may grow", () => {
    const namespace = useNamespace();

    it("starts with fewer ranks than it can have", async () => {
        const stack = namespace.stack("elastic", async () => ({
            phase: new MiniCluster("elastic", { image: namespace.image, size: 2, maxSize: 4, restful: { enabled: false } }).phase,
        }));
        const { outputs } = await stack.up();
        assert.equal(outputs.phase, "ready");
        const list = async (states: string) =>
            (await namespace.exec("elastic", ["flux", "resource", "list", "-no", "{nnodes} {nodelist}", "-s", states])).trim();
        assert.equal(await list("free"), "2 elastic-[0-1]");
        assert.equal(await list("down"), "2 elastic-[2-3]");
        const output = await namespace.exec("elastic", ["flux", "run", "-N2", "hostname"]);
        assert.deepEqual(output.trim().split("\n").sort(), ["elastic-0", "elastic-1"]);
    });
});
