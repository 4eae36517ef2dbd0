import assert from "node:assert/strict";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { otherKubernetes } from "../../../scripts/local/kubernetesVersions";
import { nodeBinDir, root } from "../../../scripts/local/paths";
import { run } from "../../../scripts/local/run";
import { keepTried } from "../../../scripts/tests/tried";
import { ChangingCluster } from "../../e2e/support/changing";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

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

describe("demo on the user's cluster", function () {
    this.timeout(600_000);
    const theirs = new SecondCluster();
    const ours = new SecondCluster();
    let image: string;

    before(async () => {
        ({ image } = await startKubernetes(theirs, {}));
    });

    after(() => theirs.remove());
    after(() => ours.remove());

    it("lists the existing contexts if CONTEXT is empty", async () => {
        await assert.rejects(
            demo("demo", { CONTEXT: "" }),
            /CLUSTER=current needs CONTEXT=name. Contexts of your kubeconfig: flux-minicluster/,
        );
    });

    it("names the cluster first, runs there and leaves nothing", async () => {
        const output = await demo("demo", { CONTEXT: "flux-minicluster" });
        assert.match(output, /^make demo: .*\nUsing your cluster: context flux-minicluster, https:/);
        assert.match(output, /hello-0/);
        // The update watches pods, so it ends a little before the Job controller counts them.
        const isOver = async () => /hello\s+(Complete|SuccessCriteriaMet)/.test(await theirs.kubectl("get", "jobs"));
        await until("the Job is complete", async () => (await isOver()) || undefined);
        await demo("demo-down", { CONTEXT: "flux-minicluster" });
        const left = await theirs.kubectl("get", "jobs,secrets,configmaps,services", "-o", "name");
        assert.equal(left.trim(), "configmap/kube-root-ca.crt\nservice/kubernetes");
    });

    /** Runs `make demo` or `make demo-down` with a state folder that has no cluster and gets none. */
    function demo(command: "demo" | "demo-down", environment: NodeJS.ProcessEnv): Promise<string> {
        return run(
            "sh",
            ["-c", 'exec "$0" "$@" 2>&1', join(nodeBinDir, "tsx"), join(root, "scripts", "cli.ts"), command],
            {
                env: {
                    ...process.env,
                    ...environment,
                    CLUSTER: "current",
                    FLUX_IMAGE: image,
                    FLUX_MINICLUSTER_STATE: ours.state,
                    KUBECONFIG: join(theirs.state, "kubeconfig"),
                },
            },
        );
    }
});
