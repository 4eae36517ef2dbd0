import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import type { Look } from "./look";

export const sidecars: Look = {
    subject: "with sidecars",

    clusters({ image, name }) {
        const ask = 'until flux getattr size >"/out/$0$JOB_COMPLETION_INDEX.new" 2>/dev/null; do sleep 0.2; done';
        const tell = `${ask}; mv "/out/$0$JOB_COMPLETION_INDEX.new" "/out/$0$JOB_COMPLETION_INDEX"; sleep inf`;
        const wait =
            "until [ -e /out/each0 ] && [ -e /out/each1 ] && [ -e /out/lead0 ]; do sleep 0.1; done; ls /out; cat /out/*";
        return {
            sidecars: new MiniCluster("sidecars", {
                image,
                size: 2,
                tasks: 1,
                command: ["sh", "-c", wait],
                volumes: [{ name: "out", mountPath: "/out", hostPath: "/tmp", subPath: name }],
                sidecars: [
                    { name: "each", image, command: ["sh", "-c", tell, "each"] },
                    { name: "lead", image, command: ["sh", "-c", tell, "lead"], leadOnly: true },
                ],
            }).output,
        };
    },

    tests(outputs) {
        it("connects sidecars of all ranks or of the lead to Flux, and finishes while they run", () => {
            assert.deepEqual(outputs.sidecars.trim().split("\n"), ["each0", "each1", "lead0", "2", "2", "2"]);
        });
    },
};
