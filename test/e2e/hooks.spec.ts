import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

describe("failing hook", () => {
    const namespace = useNamespace();

    it("ends its pod with its exit code", async () => {
        const stack = namespace.stack("broken", async () => {
            const hooks = { init: "echo no scratch disk\nexit 3\n" };
            new MiniCluster("broken", { image: namespace.image, hooks, command: ["hostname"] });
        });
        const { text } = await stack.fails("up");
        assert.match(text, /exit code 3/);
        assert.match(text, /no scratch disk/);
    });
});
