import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestNamespace } from "./namespace";

/**
 * Makes a PersistentVolumeClaim and its volume: a folder of the machine. Volumes of the type `local` get an `fsGroup`, as
 * those of block storage do; volumes of the type `hostPath` don't.
 */
export async function makeLocalVolume({ kube, name: namespace }: TestNamespace, name: string) {
    const { core } = kube;
    const volumeName = `${namespace}-${name}`;
    const path = mkdtempSync(join(tmpdir(), "flux-minicluster-local-"));
    chmodSync(path, 0o777);
    const common = { accessModes: ["ReadWriteMany"], storageClassName: "" };
    const anyNode = { key: "kubernetes.io/os", operator: "Exists" };
    const volume = {
        ...common,
        capacity: { storage: "1Mi" },
        local: { path },
        claimRef: { namespace, name },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [anyNode] }] } },
    };
    await core.createPersistentVolume({ body: { metadata: { name: volumeName }, spec: volume } });
    const spec = { ...common, volumeName, resources: { requests: { storage: "1Mi" } } };
    await core.createNamespacedPersistentVolumeClaim({ namespace, body: { metadata: { name }, spec } });
    const remove = async () => {
        await core.deletePersistentVolume({ name: volumeName });
        rmSync(path, { recursive: true, force: true });
    };
    return { path, remove };
}
