import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

/** Rank 0 makes a credential, and rank 1 reads it. */
const EXCHANGE = [
    "command -v munge >/dev/null || { echo none; exit; }",
    "credential=$(munge --no-input)",
    'flux run -N2 bash -c \'[[ $FLUX_TASK_RANK == 0 ]] || printf %s "$1" | unmunge --metadata -\' unmunge "$credential"',
].join("\n");

describe("munge", () => {
    const namespace = useNamespace();
    const args = { size: 2, munge: true, launcher: true, command: ["bash", "-c", EXCHANGE] };

    it("takes on one rank what it gave on another, as root and as a user", async () => {
        const stack = namespace.stack("munge", async () => ({
            root: new MiniCluster("root", { ...args, image: namespace.image }).output,
            user: new MiniCluster("user", { ...args, image: namespace.image, user: { name: "somebody", uid: 4242 } }).output,
        }));
        const { outputs } = await stack.up();
        for (const output of [outputs.root, outputs.user]) {
            assert.match(output, /^STATUS: +Success \(0\)$|^none$/m);
        }
    });
});
