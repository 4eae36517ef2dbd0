import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { otherKubernetes } from "../../../scripts/local/kubernetesVersions";
import { keepTried } from "../../../scripts/tests/tried";
import { ChangingCluster } from "../../e2e/support/changing";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";

const kinds: [string, NodeJS.ProcessEnv, string?][] = [
    ["without DNS", { DNS: "off" }],
    ...otherKubernetes.map((minor): [string, NodeJS.ProcessEnv, string] => [minor, { K8S_VERSION: minor }, minor]),
];

for (const [kind, environment, version] of kinds) {
    describe(`local Kubernetes ${kind}`, function () {
        // Another Kubernetes may have to be built.
        this.timeout(1_800_000);
        const kubernetes = new SecondCluster();
        const namespace = useNamespace({ world: () => startKubernetes(kubernetes, environment) });
        let running: string;
        after(() => kubernetes.remove());

        it("has the requested version and DNS setting", async () => {
            const { serverVersion } = JSON.parse(await kubernetes.kubectl("version", "-o", "json"));
            assert.match(serverVersion.gitVersion, new RegExp(`^v${version ?? ""}`));
            assert.equal("coredns" in kubernetes.servers(), environment["DNS"] !== "off");
            running = serverVersion.gitVersion.replace(/^v/, "");
        });

        it("runs an ephemeral MiniCluster with four ranks and leaves nothing", async () => {
            const args = { image: namespace.image, size: 4, command: ["hostname"] };
            const stack = namespace.stack("run", async () => ({ output: new MiniCluster("run", args).output }));
            const { outputs } = await stack.up();
            assert.deepEqual(outputs.output.trim().split("\n").sort(), ["run-0", "run-1", "run-2", "run-3"]);
            await stack.up(true);
            await stack.destroy();
            await namespace.assertNothingLeft();
        });

        it("resizes, refreshes and removes a persistent MiniCluster", async () => {
            const cluster = new ChangingCluster(namespace, "stays", { size: 1, maxSize: 3 });
            await cluster.stack.up();
            cluster.set({ size: 3 });
            await cluster.stack.up();
            assert.deepEqual(await cluster.nodes(), { free: 3 });
            cluster.set({ size: 2 });
            await cluster.stack.up();
            assert.deepEqual(await cluster.nodes(), { free: 2, down: 1 });
            await cluster.stack.refresh(true);
            await cluster.stack.destroy();
            keepTried({
                thing: "Kubernetes",
                version: running,
                by: "a cluster with a command, and one that is resized",
            });
        });
    });
}
