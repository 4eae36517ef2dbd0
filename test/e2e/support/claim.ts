import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestNamespace } from "./namespace";

/**
 * Makes a PersistentVolumeClaim and its volume, which any user may write to, without a provisioner. Returns a function that
 * removes the volume.
 */
export async function makeClaim({ kube, name: namespace }: TestNamespace, name: string): Promise<() => Promise<void>> {
    const { core } = kube;
    const volumeName = `${namespace}-${name}`;
    const path = mkdtempSync(join(tmpdir(), "flux-minicluster-claim-"));
    chmodSync(path, 0o777);
    const common = { accessModes: ["ReadWriteMany"], storageClassName: "" };
    const volume = { ...common, capacity: { storage: "1Mi" }, hostPath: { path }, claimRef: { namespace, name } };
    await core.createPersistentVolume({ body: { metadata: { name: volumeName }, spec: volume } });
    const spec = { ...common, volumeName, resources: { requests: { storage: "1Mi" } } };
    await core.createNamespacedPersistentVolumeClaim({ namespace, body: { metadata: { name }, spec } });
    return async () => {
        await core.deletePersistentVolume({ name: volumeName });
        rmSync(path, { recursive: true, force: true });
    };
}
