import assert from "node:assert/strict";

import type { V1PersistentVolumeSpec } from "@kubernetes/client-node";

import { ChangingCluster } from "../../e2e/support/changing";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

const HOSTNAME = "kubernetes.io/hostname";

describe("volumes of three nodes", function () {
    this.timeout(600_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3" }) });
    after(() => kubernetes.remove());

    /** Makes a volume of a folder that all nodes see, and its claim. */
    async function makeClaim(name: string, mode: string, of: Partial<V1PersistentVolumeSpec> = {}): Promise<void> {
        const { core } = namespace.kube;
        const size = { storage: "1Gi" };
        const volume = `${namespace.name}-${name}`;
        const hostPath = { path: `/tmp/flux-minicluster-volumes/${volume}`, type: "DirectoryOrCreate" };
        const spec = { accessModes: [mode], capacity: size, hostPath, storageClassName: "", ...of };
        await core.createPersistentVolume({ body: { metadata: { name: volume }, spec } });
        const claim = { accessModes: [mode], resources: { requests: size }, storageClassName: "", volumeName: volume };
        await core.createNamespacedPersistentVolumeClaim({
            namespace: namespace.name,
            body: { metadata: { name }, spec: claim },
        });
    }

    const mount = (claim: string) => [{ name: "data", mountPath: "/data", persistentVolumeClaim: claim }];

    it("names the volume's node in the row and in the error, if ranks on other nodes want it", async () => {
        const match = { matchExpressions: [{ key: HOSTNAME, operator: "In", values: ["node-1"] }] };
        await makeClaim("one", "ReadWriteOnce", { nodeAffinity: { required: { nodeSelectorTerms: [match] } } });
        const cluster = new ChangingCluster(namespace, "affine", {
            size: 2,
            placement: "exclusive",
            volumes: mount("one"),
            timeouts: { unschedulable: 10 },
        });
        await assert.rejects(cluster.stack.up(), (error: Error) => {
            assert.match(error.message, /1\/2 pods running; affine-1-\w+ Unschedulable: .*PersistentVolume's node af/);
            assert.match(
                error.message,
                /affine-1-\w+ can't be scheduled: .*PersistentVolume's node affinity.* raise timeouts\.unsch/,
            );
            return true;
        });
    });

    it("shows the words of a volume driver while a second node wants the volume", async () => {
        const said = 'Multi-Attach error for volume "pv-7" Volume is already used by pod(s) other-0';
        const cluster = new ChangingCluster(namespace, "drivers", {
            size: 2,
            volumes: [{ name: "data", mountPath: "/data", source: { secret: { secretName: "comes-later" } } }],
            timeouts: { podStart: 20 },
        });
        const failing = assert.rejects(cluster.stack.up(), (error: Error) => {
            assert.match(error.message, /drivers-0-\w+ ContainerCreating: Multi-Attach error for volume/);
            return true;
        });
        const pod = await until("the pod has a node", async () => {
            const pods = await namespace.pods("drivers");
            return pods.find(({ metadata, spec }) => metadata?.name?.startsWith("drivers-0-") && spec?.nodeName);
        });
        const { name, uid } = pod.metadata ?? {};
        await namespace.kube.core.createNamespacedEvent({
            namespace: namespace.name,
            body: {
                metadata: { generateName: "multi-attach-" },
                involvedObject: { kind: "Pod", name, namespace: namespace.name, uid, apiVersion: "v1" },
                reason: "FailedAttachVolume",
                message: said,
                type: "Warning",
                source: { component: "attachdetach-controller" },
                firstTimestamp: new Date(),
                lastTimestamp: new Date(),
                count: 1,
            },
        });
        await failing;
    });

    it("gives all ranks a volume that all nodes may write", async () => {
        await makeClaim("many", "ReadWriteMany");
        const cluster = new ChangingCluster(namespace, "shares", {
            size: 3,
            placement: "exclusive",
            volumes: mount("many"),
        });
        await cluster.stack.up();
        await cluster.flux("run", "-N3", "sh", "-c", "hostname >/data/$(hostname)");
        const seen = await namespace.exec("shares", ["ls", "/data"], 2);
        assert.deepEqual(seen.trim().split("\n"), ["shares-0", "shares-1", "shares-2"]);
        await cluster.stack.destroy();
    });
});
