import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { volumeMounts, volumes } from "../../../../components/parts/mount";
import { mounts } from "../../../../components/pod/mounts";
import { makeFiles } from "../../support/spec";

const made = (...args: Parameters<typeof makeFiles>) => {
    const all = mounts(...makeFiles(...args));
    return { mounts: volumeMounts(all), volumes: volumes(all) };
};

describe("mounts", () => {
    it("mounts the configuration, the scripts and the certificate read-only", () => {
        const { mounts: list } = made();
        assert.deepEqual(list, [
            { name: "flux-config", mountPath: "/etc/flux/config", readOnly: true },
            { name: "flux-scripts", mountPath: "/etc/flux-minicluster", readOnly: true },
            { name: "flux-curve", mountPath: "/etc/curve", readOnly: true },
            { name: "flux-run", mountPath: "/run/flux" },
            { name: "flux-state", mountPath: "/var/lib/flux" },
            { name: "flux-shm", mountPath: "/dev/shm" },
        ]);
    });

    it("mounts nothing of the Secret but the certificate", () => {
        const curve = made().volumes.find(({ name }) => name === "flux-curve");
        const items = [{ key: "curve.cert", path: "curve.cert" }];
        assert.deepEqual(curve, {
            name: "flux-curve",
            secret: { secretName: "lammps-secret", defaultMode: 0o444, items },
        });
    });

    describe("of Secrets", () => {
        const modes = (args: Partial<PlainArgs>): number[] =>
            made({ command: [], munge: true, restful: { tlsSecret: "web" }, ...args }).volumes.flatMap(({ secret }) =>
                secret === undefined ? [] : [secret.defaultMode],
            );

        it("can be read by any user of the container without an fsGroup, which would change the user's volumes", () => {
            for (const args of [{}, { user: {} }, { podSecurityContext: { runAsUser: 7, runAsGroup: 7 } }]) {
                assert.deepEqual(modes(args), [0o444, 0o444, 0o444, 0o444]);
            }
        });

        it("can be read by one group alone if there is an fsGroup", () => {
            assert.deepEqual(modes({ podSecurityContext: { fsGroup: 7 } }), [0o400, 0o400, 0o400, 0o400]);
            assert.deepEqual(modes({ podSecurityContext: { fsGroup: 7, runAsUser: 7 } }), [0o400, 0o400, 0o400, 0o400]);
        });
    });

    it("keeps scripts out of the folder from which Flux reads its configuration", () => {
        const [config] = made({ hooks: { init: "x" } }).volumes;
        assert.deepEqual(config.configMap.items, [{ key: "broker.toml", path: "broker.toml" }]);
    });

    it("makes /dev/shm a memory volume, with a limit if sharedMemory is given", () => {
        const shm = (sharedMemory?: string) => made({ sharedMemory }).volumes.find(({ name }) => name === "flux-shm");
        assert.deepEqual(shm(), { name: "flux-shm", emptyDir: { medium: "Memory" } });
        assert.deepEqual(shm("1Gi"), { name: "flux-shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } });
    });

    const sources: [object, object][] = [
        [{ persistentVolumeClaim: "c" }, { persistentVolumeClaim: { claimName: "c" } }],
        [{ secret: "s" }, { secret: { secretName: "s" } }],
        [{ configMap: "m" }, { configMap: { name: "m" } }],
        [{ hostPath: "/h" }, { hostPath: { path: "/h" } }],
        [{ emptyDir: {} }, { emptyDir: {} }],
        [{ emptyDir: { sizeLimit: "1Gi" } }, { emptyDir: { sizeLimit: "1Gi" } }],
        [
            { secret: "s", items: { b: "y", a: "x" } },
            {
                secret: {
                    secretName: "s",
                    items: [
                        { key: "a", path: "x" },
                        { key: "b", path: "y" },
                    ],
                },
            },
        ],
        [{ image: "registry.example/data:1" }, { image: { reference: "registry.example/data:1" } }],
        [{ projected: [{ secret: { name: "s" } }] }, { projected: { sources: [{ secret: { name: "s" } }] } }],
        [
            { csi: { driver: "s3.csi", attributes: { bucket: "b" }, secret: "k" }, readOnly: true },
            {
                csi: {
                    driver: "s3.csi",
                    nodePublishSecretRef: { name: "k" },
                    readOnly: true,
                    volumeAttributes: { bucket: "b" },
                },
            },
        ],
        [{ source: { nfs: { server: "x", path: "/" } } }, { nfs: { server: "x", path: "/" } }],
    ];
    for (const [given, expected] of sources) {
        it(`converts ${JSON.stringify(given)}`, () => {
            const { volumes: all } = made({ volumes: [{ name: "v", mountPath: "/v", ...given }] });
            assert.deepEqual(all.at(-1), { name: "v", ...expected });
        });
    }

    it("lists a volume once, even if it is mounted several times", () => {
        const volume = { name: "v", hostPath: "/h" };
        const { mounts: list, volumes: all } = made({
            volumes: [
                { ...volume, mountPath: "/a", readOnly: true },
                { ...volume, mountPath: "/b", subPath: "x" },
            ],
        });
        assert.equal(all.filter(({ name }) => name === "v").length, 1);
        assert.deepEqual(list.slice(-2), [
            { name: "v", mountPath: "/a", readOnly: true },
            { name: "v", mountPath: "/b", subPath: "x" },
        ]);
    });
});
