import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { coredns, pulumi } from "../../../scripts/local/pieces";
import { describePlan, isReachable } from "../../../scripts/plan";

describe("the first line of make demo", () => {
    const own = { cluster: "this folder's local Kubernetes", pulumi: undefined };

    it("says what is built, and for how long on this machine", () => {
        const line = describePlan(
            {
                ...own,
                builds: [
                    { ...coredns, cpuSeconds: 300 },
                    { ...pulumi, cpuSeconds: 900 },
                ],
            },
            2,
        );
        assert.equal(
            line,
            "make demo: builds coredns, pulumi from Go modules, about 10 min on 2 cores, once for this machine, and needs 7 GB of disk; " +
                "then it runs a MiniCluster on this folder's local Kubernetes with a Pulumi that is built here: about a minute.",
        );
    });

    it("says that nothing is built if everything is there, and which Pulumi runs", () => {
        assert.equal(
            describePlan({ ...own, builds: [], pulumi: "/opt/pulumi/bin/pulumi" }, 2),
            "make demo: no program has to be built; " +
                "it runs a MiniCluster on this folder's local Kubernetes with the Pulumi at /opt/pulumi/bin/pulumi: about a minute.",
        );
    });
});

describe("isReachable", () => {
    it("is true for any answer of the cluster, even a refusal", async () => {
        const server = createServer((_, response) => response.writeHead(403).end());
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as AddressInfo;
        assert.equal(await isReachable({ name: "there", server: `http://127.0.0.1:${port}` }), true);
        await new Promise((resolve) => server.close(resolve));
        assert.equal(await isReachable({ name: "gone", server: `http://127.0.0.1:${port}` }), false);
    });
});
