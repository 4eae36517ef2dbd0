import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { validateVolumes } from "../../../../../components/features/volumes/rules";
import { makeSpec } from "../../../support/spec";

type Volumes = NonNullable<PlainArgs["volumes"]>;

const problems = (volumes: unknown[]) =>
    validateVolumes(makeSpec({ volumes: volumes as Volumes })).map(({ property, reason }) => `${property}: ${reason}`);

const data = { name: "data", mountPath: "/data", persistentVolumeClaim: "shared" };

describe("validateVolumes", () => {
    const good: [string, unknown[]][] = [
        ["a claim", [data]],
        ["a Secret", [{ name: "s", mountPath: "/s", secret: "x" }]],
        ["a ConfigMap", [{ name: "c", mountPath: "/c", configMap: "x" }]],
        ["a folder of the node", [{ name: "h", mountPath: "/h", hostPath: "/scratch" }]],
        ["an empty folder", [{ name: "e", mountPath: "/e", emptyDir: {} }]],
        ["an image", [{ name: "i", mountPath: "/i", image: "x" }]],
        ["several in one folder", [{ name: "p", mountPath: "/p", projected: [{ secret: { name: "s" } }] }]],
        ["some keys", [{ name: "s", mountPath: "/s", secret: "x", items: { a: "b" } }]],
        ["memory", [{ name: "e", mountPath: "/e", emptyDir: { medium: "Memory" } }]],
        ["any other source", [{ name: "o", mountPath: "/o", source: { csi: { driver: "efs" } } }]],
        ["one volume at two paths", [data, { ...data, mountPath: "/data2", subPath: "x" }]],
    ];
    for (const [what, volumes] of good) {
        it(`takes ${what}`, () => {
            assert.deepEqual(problems(volumes), []);
        });
    }

    const kinds = "configMap, csi, emptyDir, hostPath, image, persistentVolumeClaim, projected, secret, source";
    const label = "a DNS label that doesn't start with flux-, because those are the cluster's own";
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
            "a name that is no label",
            [{ ...data, name: "My_Data" }],
            `volumes[0].name: is "My_Data"; it must be ${label}.`,
        ],
        ["a name of our own", [{ ...data, name: "flux-run" }], `volumes[0].name: is "flux-run"; it must be ${label}.`],
        ["no name", [{ ...data, name: undefined }], `volumes[0].name: is missing; it must be ${label}.`],
        ["a relative path", [{ ...data, mountPath: "data" }], 'volumes[0].mountPath: is "data"; it must be absolute.'],
        [
            "a path of our own",
            [{ ...data, mountPath: "/etc/flux/config/" }],
            "volumes[0].mountPath: is the cluster's own /etc/flux/config/. Use another path.",
        ],
        [
            "the root",
            [{ ...data, mountPath: "/" }],
            'volumes[0].mountPath: is "/", which would hide the whole image. Use a folder.',
        ],
        [
            "keys of what has none",
            [{ ...data, items: { a: "b" } }],
            "volumes[0].items: are given, but only a Secret and a ConfigMap have keys. Remove them.",
        ],
        [
            "an image to write to",
            [{ name: "i", mountPath: "/i", image: "x", readOnly: false }],
            "volumes[0].readOnly: is false, but an image can only be read. Remove it.",
        ],
        [
            "a relative folder of the node",
            [{ name: "h", mountPath: "/h", hostPath: "tmp" }],
            'volumes[0].hostPath: is "tmp"; it must be absolute.',
        ],
        [
            "a way out of the volume",
            [{ ...data, subPath: "a/../../b" }],
            'volumes[0].subPath: is "a/../../b"; it must be relative and stay in the volume.',
        ],
        [
            "a source of two kinds",
            [{ name: "o", mountPath: "/o", source: { nfs: {}, csi: {} } }],
            "volumes[0].source: has nfs and csi; it is exactly one kind of volume.",
        ],
        [
            "a medium that isn't one",
            [{ name: "e", mountPath: "/e", emptyDir: { medium: "memory" } }],
            'volumes[0].emptyDir.medium: is "memory"; Kubernetes knows "Memory" and HugePages. Leave it out for the node\'s disk.',
        ],
        [
            "another /dev/shm",
            [{ ...data, mountPath: "/dev/shm" }],
            "volumes[0].mountPath: is the cluster's own /dev/shm. Use sharedMemory.",
        ],
        [
            "a limit that is no quantity",
            [{ name: "e", mountPath: "/e", emptyDir: { sizeLimit: "1GB" } }],
            'volumes[0].emptyDir.sizeLimit: is "1GB", which is no Kubernetes quantity. Write it like "8Gi".',
        ],
        [
            "one name for two volumes",
            [data, { ...data, mountPath: "/other", persistentVolumeClaim: "another" }],
            'volumes[1].name: is "data", which is another volume already.',
        ],
        [
            "two mounts at one path",
            [data, { ...data, name: "more" }],
            "volumes[1].mountPath: is /data, which is taken already.",
        ],
    ];
    for (const [what, volumes, expected] of bad) {
        it(`refuses ${what}`, () => {
            assert.deepEqual(problems(volumes), [expected]);
        });
    }

    it("leaves the folders of MUNGE to a socket of the node's, where the cluster has no munged", () => {
        const volumes = [{ name: "munge", mountPath: "/run/munge", hostPath: "/run/munge" }];
        assert.deepEqual(problems(volumes), []);
        const [{ property, reason }] = validateVolumes(makeSpec({ munge: true, volumes }));
        assert.equal(
            `${property}: ${reason}`,
            "volumes[0].mountPath: is the cluster's own /run/munge. Use another path, or no munge.",
        );
    });
});
