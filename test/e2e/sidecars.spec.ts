import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

describe("sidecars", () => {
    const namespace = useNamespace();

    it("reach Flux' socket, on every rank or on rank 0 only, and don't keep the Job alive", async () => {
        const { image, name } = namespace;
        const ask = 'until flux getattr size >"/out/$0$JOB_COMPLETION_INDEX.new" 2>/dev/null; do sleep 0.2; done';
        const tell = `${ask}; mv "/out/$0$JOB_COMPLETION_INDEX.new" "/out/$0$JOB_COMPLETION_INDEX"; sleep inf`;
        const wait = "until [ -e /out/each0 ] && [ -e /out/each1 ] && [ -e /out/lead0 ]; do sleep 0.1; done; ls /out; cat /out/*";
        const stack = namespace.stack("beside", async () => ({
            output: new MiniCluster("beside", {
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
        }));
        const { outputs } = await stack.up();
        assert.deepEqual(outputs.output.trim().split("\n"), ["each0", "each1", "lead0", "2", "2", "2"]);
    });
});
