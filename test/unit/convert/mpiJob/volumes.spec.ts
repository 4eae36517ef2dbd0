import assert from "node:assert/strict";

import { assertPreview } from "../operator/support";
import { more } from "./support";

describe("volumes of an MPIJob", () => {
    it("are read with their mounts, also those of the launcher, and /dev/shm as sharedMemory", () => {
        const { args, warnings } = more({
            launcher: {
                volumeMounts: [
                    { name: "data", mountPath: "/data" },
                    { name: "script", mountPath: "/script", readOnly: true },
                    { name: "home", mountPath: "/root" },
                ],
            },
            launcherPod: {
                volumes: [
                    { name: "data", persistentVolumeClaim: { claimName: "c" } },
                    { name: "script", configMap: { name: "s", items: [{ key: "a", path: "b" }] } },
                    { name: "home", hostPath: { path: "/home" } },
                ],
            },
            worker: {
                volumeMounts: [
                    { name: "data", mountPath: "/data" },
                    { name: "data", mountPath: "/in", subPath: "in", mountPropagation: "HostToContainer" },
                    { name: "shm", mountPath: "/dev/shm" },
                    { name: "flux-home", mountPath: "/home" },
                    { name: "home", mountPath: "/key" },
                    { name: "nfs", mountPath: "/nfs" },
                ],
            },
            workerPod: {
                volumes: [
                    { name: "data", persistentVolumeClaim: { claimName: "c" } },
                    { name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
                    { name: "flux-home", hostPath: { path: "/home", type: "Directory" } },
                    { name: "home", secret: { secretName: "s", defaultMode: 256 } },
                    { name: "nfs", nfs: { server: "s", path: "/" } },
                    { name: "idle", emptyDir: {} },
                ],
            },
        });
        assert.deepEqual(args["volumes"], [
            { name: "data", mountPath: "/data", persistentVolumeClaim: "c" },
            { name: "data", mountPath: "/in", subPath: "in", persistentVolumeClaim: "c" },
            { name: "other-flux-home", mountPath: "/home", source: { hostPath: { path: "/home", type: "Directory" } } },
            { name: "home", mountPath: "/key", source: { secret: { secretName: "s", defaultMode: 256 } } },
            { name: "nfs", mountPath: "/nfs", source: { nfs: { server: "s", path: "/" } } },
            { name: "script", mountPath: "/script", readOnly: true, configMap: "s", items: { a: "b" } },
            { name: "launcher-home", mountPath: "/root", hostPath: "/home" },
        ]);
        const mount = { name: "data", mountPath: "/in", mountPropagation: "HostToContainer" };
        assert.deepEqual(
            [args["sharedMemory"], args["podTemplate"]],
            ["1Gi", { spec: { containers: [{ name: "flux", volumeMounts: [mount] }] } }],
        );
        assert.deepEqual(warnings, [
            'worker.volumes[5]: is "idle", which no container mounts; it is left out. Remove it.',
        ]);
        assertPreview({ ...args, image: "a:1", size: 2 });
    });

    it("are left out at /dev/shm if they aren't in memory, where the ranks have one in memory or the node's", () => {
        const withShm = (volume: object, pod: object = {}) =>
            more({
                worker: { volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }] },
                workerPod: { volumes: [{ name: "shm", ...volume }], ...pod },
            });
        const hostPath = { path: "/dev/shm" };
        for (const [volume, sharedMemory] of [
            [{ hostPath }, undefined],
            [{ emptyDir: { sizeLimit: "1Gi" } }, "1Gi"],
        ] as const) {
            const { args, warnings } = withShm(volume);
            assert.deepEqual([args["volumes"], args["sharedMemory"]], [undefined, sharedMemory]);
            assert.deepEqual(warnings, [
                'worker.containers[0].volumeMounts[0]: mounts "shm" at /dev/shm, where the ranks have a volume in memory, which ' +
                    "counts against the pod's memory limit. It is left out; give hostIPC for the node's /dev/shm, or sharedMemory " +
                    "for a limit.",
            ]);
            assertPreview({ ...args, image: "a:1", size: 2 });
        }
        const node = withShm({ hostPath }, { hostIPC: true });
        assert.deepEqual([node.args["volumes"], node.args["hostIPC"], node.warnings], [undefined, true, []]);
        const claim = withShm({ persistentVolumeClaim: { claimName: "c" } }, { hostIPC: true });
        assert.deepEqual(claim.warnings, [
            'worker.containers[0].volumeMounts[0]: mounts "shm" at /dev/shm, where the ranks have the node\'s by hostIPC. It is ' +
                "left out; mount it at another path, or remove hostIPC.",
        ]);
    });
});
