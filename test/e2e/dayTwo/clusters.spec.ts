import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { ChangingCluster } from "../support/changing";
import { to, useFaultProxy } from "../support/faultProxy";
import { useNamespace } from "../support/namespace";

/** The proxy stands for another Kubernetes cluster, which lacks the Services that the Kubernetes provider made. */
describe("MiniCluster whose Kubernetes provider uses another cluster", () => {
    const namespace = useNamespace();
    const own = () => ownKubeconfig;
    let ownKubeconfig = "";
    before(() => {
        ownKubeconfig = namespace.kubeconfig;
    });
    const proxy = useFaultProxy(namespace);

    beforeEach(() => {
        proxy().answer(to("GET", "services/*"), 404);
        proxy().answer(to("GET", "jobs/*"), 404);
        namespace.kubeconfig = own();
    });

    it("refuses the update before it creates a Job", async () => {
        const other = readFileSync(proxy().kubeconfig, "utf8");
        const cluster = new ChangingCluster(namespace, "apart", { kubeconfig: other });
        const { text } = await cluster.stack.fails("up");
        assert.match(
            text,
            /Service \S+\/apart-lead of the Kubernetes provider is not in the cluster at http:\/\/127\.0\.0\.1:\d+/,
        );
        assert.match(text, /Give MiniCluster the kubeconfig and the context of that provider\./);
        assert.deepEqual(
            proxy().requests.filter(({ method, path }) => method !== "GET" && !path.includes("dryRun=All")),
            [],
        );
    });

    it("refuses preview and update, and keeps its pods", async () => {
        const cluster = new ChangingCluster(namespace, "moves", {});
        await cluster.stack.up();
        const pods = await cluster.podUids();
        cluster.set({ kubeconfig: readFileSync(proxy().kubeconfig, "utf8"), triggers: [1] });
        for (const verb of ["preview", "up"] as const) {
            const { text } = await cluster.stack.fails(verb);
            assert.match(text, /is not in the cluster at http:\/\/127\.0\.0\.1:\d+/);
        }
        assert.deepEqual(await cluster.podUids(), pods);
    });
});
