import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { validate } from "../../../../../components/arguments/decide";
import { validateVolumes } from "../../../../../components/features/volumes/rules";
import { makeSpec } from "../../../support/spec";

type Volumes = NonNullable<PlainArgs["volumes"]>;

const problems = (volumes: unknown[]) =>
    validateVolumes(makeSpec({ volumes: volumes as Volumes })).map(({ property, reason }) => `${property}: ${reason}`);

const data = { name: "data", mountPath: "/data", persistentVolumeClaim: "shared" };

describe("validateVolumes", () => {
    const good: [string, unknown[]][] = [
        ["a PersistentVolumeClaim", [data]],
        ["a Secret", [{ name: "s", mountPath: "/s", secret: "x" }]],
        ["a ConfigMap", [{ name: "c", mountPath: "/c", configMap: "x" }]],
        ["a folder of the node", [{ name: "h", mountPath: "/h", hostPath: "/scratch" }]],
        ["an emptyDir", [{ name: "e", mountPath: "/e", emptyDir: {} }]],
        ["an image", [{ name: "i", mountPath: "/i", image: "x" }]],
        ["a projected volume", [{ name: "p", mountPath: "/p", projected: [{ secret: { name: "s" } }] }]],
        ["some keys of a Secret", [{ name: "s", mountPath: "/s", secret: "x", items: { a: "b" } }]],
        ["an emptyDir in memory", [{ name: "e", mountPath: "/e", emptyDir: { medium: "Memory" } }]],
        ["any other source", [{ name: "o", mountPath: "/o", source: { csi: { driver: "efs" } } }]],
        ["one volume at two paths", [data, { ...data, mountPath: "/data2", subPath: "x" }]],
    ];
    for (const [what, volumes] of good) {
        it(`accepts ${what}`, () => {
            assert.deepEqual(problems(volumes), []);
        });
    }

    const kinds = "configMap, csi, emptyDir, hostPath, image, persistentVolumeClaim, projected, secret, source";
    const label = "a DNS label that doesn't start with flux-, because such names belong to the cluster";
    const bad: [string, unknown[], string][] = [
        [
            "a volume without a source",
            [{ name: "x", mountPath: "/x" }],
            `volumes[0]: has none of ${kinds}; give exactly one.`,
        ],
        [
            "a volume with two sources",
            [{ ...data, secret: "s" }],
            `volumes[0]: has persistentVolumeClaim and secret; give exactly one of ${kinds}.`,
        ],
        [
            "a name that isn't a DNS label",
            [{ ...data, name: "My_Data" }],
            `volumes[0].name: is "My_Data"; it must be ${label}.`,
        ],
        [
            "a name of the cluster's own volumes",
            [{ ...data, name: "flux-run" }],
            `volumes[0].name: is "flux-run"; it must be ${label}.`,
        ],
        [
            "a volume without a name",
            [{ ...data, name: undefined }],
            `volumes[0].name: is missing; it must be ${label}.`,
        ],
        [
            "a relative path",
            [{ ...data, mountPath: "data" }],
            'volumes[0].mountPath: is "data"; it must be an absolute path.',
        ],
        [
            "a path of the cluster's own",
            [{ ...data, mountPath: "/etc/flux/config/" }],
            "volumes[0].mountPath: is /etc/flux/config/, which the cluster uses itself. Use another path.",
        ],
        [
            "the folder of the code's parts",
            [{ ...data, mountPath: "/run/flux-minicluster/code" }],
            "volumes[0].mountPath: is /run/flux-minicluster/code, which the cluster uses itself. Use another path.",
        ],
        [
            "a path of the cluster's own in other words",
            [{ ...data, mountPath: "//etc/./x/../curve" }],
            "volumes[0].mountPath: is //etc/./x/../curve, which the cluster uses itself. Use another path.",
        ],
        [
            "the file by which the pods report",
            [{ ...data, mountPath: "/dev/termination-log" }],
            "volumes[0].mountPath: is /dev/termination-log, which the cluster uses itself. Use another path.",
        ],
        [
            "the root as mount path",
            [{ ...data, mountPath: "/" }],
            'volumes[0].mountPath: is "/", which would hide the whole image. Use a directory.',
        ],
        [
            "the root in other words",
            [{ ...data, mountPath: "/./" }],
            'volumes[0].mountPath: is "/./", which would hide the whole image. Use a directory.',
        ],
        [
            "keys of a volume that has none",
            [{ ...data, items: { a: "b" } }],
            "volumes[0].items: are given, but only a Secret and a ConfigMap have keys. Remove them.",
        ],
        [
            "an image that isn't read-only",
            [{ name: "i", mountPath: "/i", image: "x", readOnly: false }],
            "volumes[0].readOnly: is false, but an image volume is read-only. Remove it.",
        ],
        [
            "a relative folder of the node",
            [{ name: "h", mountPath: "/h", hostPath: "tmp" }],
            'volumes[0].hostPath: is "tmp"; it must be an absolute path.',
        ],
        [
            "a subPath that leaves the volume",
            [{ ...data, subPath: "a/../../b" }],
            'volumes[0].subPath: is "a/../../b"; it must be a relative path that stays in the volume.',
        ],
        [
            "a source of two kinds",
            [{ name: "o", mountPath: "/o", source: { nfs: {}, csi: {} } }],
            "volumes[0].source: has nfs and csi; give exactly one kind of volume.",
        ],
        [
            "an unknown medium",
            [{ name: "e", mountPath: "/e", emptyDir: { medium: "memory" } }],
            'volumes[0].emptyDir.medium: is "memory"; Kubernetes accepts "Memory" and HugePages. Leave it out for the node\'s disk.',
        ],
        [
            "a mount at /dev/shm",
            [{ ...data, mountPath: "/dev/shm" }],
            "volumes[0].mountPath: is /dev/shm, which the cluster uses itself. Use sharedMemory.",
        ],
        [
            "a sizeLimit that isn't a quantity",
            [{ name: "e", mountPath: "/e", emptyDir: { sizeLimit: "1GB" } }],
            'volumes[0].emptyDir.sizeLimit: is "1GB", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "one name for two volumes",
            [data, { ...data, mountPath: "/other", persistentVolumeClaim: "another" }],
            'volumes[1].name: is "data", which is already the name of another volume. Change one of them.',
        ],
    ];
    for (const [what, volumes, expected] of bad) {
        it(`refuses ${what}`, () => {
            assert.deepEqual(problems(volumes), [expected]);
        });
    }

    it("accepts the node's MUNGE socket if the cluster has no munged", () => {
        const volumes = [{ name: "munge", mountPath: "/run/munge", hostPath: "/run/munge" }];
        assert.deepEqual(problems(volumes), []);
        const found = validate(makeSpec({ munge: true, volumes }));
        assert.deepEqual(found, [
            {
                property: "volumes[0].mountPath",
                reason: "is /run/munge, where there is a mount of munge already. Use another path.",
            },
        ]);
    });
});
