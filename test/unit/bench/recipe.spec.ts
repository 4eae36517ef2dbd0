import assert from "node:assert/strict";

import type { Kube } from "../../../provider/kubernetes/client";
import { readMessage } from "../../../provider/observe/pods/marks";
import { recipe } from "../../bench/recipe";

describe("recipe of the benchmark", () => {
    it("reports its quorum and the end of its command in the words that the measurement reads", async () => {
        let script = "";
        const core = {
            createNamespacedService: async () => ({}),
            createNamespacedSecret: async () => ({}),
            createNamespacedConfigMap: async ({ body }: any) => (script = body.data["start.sh"]),
        };
        await recipe(2, "image").prepare({ core } as unknown as Kube, "bench");
        const lines = [...script.matchAll(/echo (\S+=)\$\(date \S+\) >>\/dev\/termination-log/g)].map(
            ([, to]) => `${to}1`,
        );
        assert.deepEqual(readMessage({ exitCode: 0, message: lines.join("\n") }).marks, { quorum: "1", ended: "1" });
    });
});
