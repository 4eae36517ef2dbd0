import assert from "node:assert/strict";

import { copyPodOf } from "../../../../cli/cp/copyPod";
import { job } from "../../../../components/pod/job";
import { makeFiles } from "../../support/spec";

const podOf = (...args: Parameters<typeof makeFiles>) => {
    const [spec, files] = makeFiles(...args);
    const live = job(spec, "hpc", files) as Parameters<typeof copyPodOf>[0];
    return copyPodOf({ ...live, metadata: { ...live.metadata, uid: "job-uid" } });
};

describe("copyPodOf", () => {
    it("mounts the volumes that outlive the pods, at their paths, and no other one", () => {
        const { spec } = podOf({
            command: [],
            archive: { persistentVolumeClaim: "queue" },
            volumes: [
                { name: "data", mountPath: "/data", persistentVolumeClaim: "data" },
                { name: "nodes", mountPath: "/nodes", hostPath: "/srv" },
                { name: "nfs", mountPath: "/nfs", source: { nfs: { server: "files", path: "/exports" } } },
                { name: "scratch", mountPath: "/scratch", emptyDir: {} },
                { name: "settings", mountPath: "/settings", configMap: "settings" },
                { name: "keys", mountPath: "/keys", secret: "keys" },
            ],
        });
        const paths = spec?.containers[0].volumeMounts?.map(({ mountPath }) => mountPath);
        assert.deepEqual(paths?.sort(), ["/data", "/nfs", "/nodes", "/var/lib/flux-archive"]);
        assert.deepEqual(spec?.volumes?.map(({ name }) => name).sort(), ["data", "flux-archive", "nfs", "nodes"]);
    });

    it("runs where the cluster may run and as its user, and has nothing of its key, its token and its devices", () => {
        const pod = podOf({
            volumes: [{ name: "data", mountPath: "/data", persistentVolumeClaim: "data" }],
            resources: { limits: { "nvidia.com/gpu": "8" } },
            nodeSelector: { pool: "spot" },
            tolerations: [{ key: "spot", operator: "Exists" }],
            podSecurityContext: { runAsUser: 1000 },
        });
        const { containers, ...spec } = pod.spec ?? { containers: [] };
        assert.deepEqual(spec.nodeSelector, { pool: "spot" });
        assert.deepEqual(spec.tolerations, [{ key: "spot", operator: "Exists" }]);
        assert.equal(spec.securityContext?.runAsUser, 1000);
        assert.deepEqual(
            [spec.automountServiceAccountToken, spec.restartPolicy, spec.activeDeadlineSeconds],
            [false, "Never", 21_600],
        );
        assert.equal(spec.affinity?.podAntiAffinity, undefined);
        assert.deepEqual(
            [containers.length, containers[0].image, containers[0].env],
            [1, "registry.example/lammps:1", undefined],
        );
        assert.ok(!("nvidia.com/gpu" in (containers[0].resources?.limits ?? {})));
    });

    it("belongs to the Job, and isn't one of its ranks", () => {
        const { metadata } = podOf({ volumes: [{ name: "data", mountPath: "/data", persistentVolumeClaim: "data" }] });
        assert.deepEqual(metadata?.ownerReferences, [
            { apiVersion: "batch/v1", kind: "Job", name: "lammps", uid: "job-uid" },
        ]);
        assert.equal(metadata?.labels?.["batch.kubernetes.io/job-name"], undefined);
        assert.equal(metadata?.generateName, "lammps-copy-");
    });

    it("is refused for a cluster of which nothing is left", () => {
        assert.throws(() => podOf(), {
            message:
                "MiniCluster hpc/lammps has no volume that outlives its pods, so nothing of it is left. " +
                "Give the next one a claim in volumes.",
        });
    });
});
