import assert from "node:assert/strict";

import { askAgent } from "../../../../provider/flux/agent/agents";
import type { Kube } from "../../../../provider/kube/client";

describe("the agent of a lead", () => {
    const lead = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };

    it("isn't started for a call that was aborted before", async () => {
        const used: unknown[] = [];
        const kube = new Proxy({} as Kube, { get: (_, name) => void used.push(name) });
        for (const word of ["submit", "watch"]) {
            const signal = AbortSignal.abort(new Error("interrupted"));
            await assert.rejects(askAgent(kube, lead, { words: [word], signal }), /interrupted/);
        }
        assert.deepEqual(used, []);
    });
});
