import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { validate } from "../../../../components/arguments/decide";
import { useFolders } from "../../support/folder";
import { makeSpec } from "../../support/spec";

describe("the mounts of a pod", () => {
    const folder = useFolders();
    const problems = (args: Partial<PlainArgs>) =>
        validate(makeSpec(args)).map(({ property, reason }) => `${property}: ${reason}`);
    const at = (mountPath: string) => ({ name: "data", mountPath, persistentVolumeClaim: "shared" });
    const codeAt = (path: string, files = {}) => ({ source: folder({ "main.py": "", ...files }), path });
    const same = (property: string, path: string, other: string) =>
        `${property}: is ${path}, where there is a mount of ${other} already. Use another path.`;

    const cases: [string, () => Partial<PlainArgs>, string][] = [
        [
            "of two volumes",
            () => ({ volumes: [at("/data"), { ...at("/data"), name: "more" }] }),
            same("volumes[1].mountPath", "/data", "volumes[0].mountPath"),
        ],
        [
            "that differ in slashes only",
            () => ({ volumes: [at("/data/a"), { ...at("//data/./a/"), name: "more" }] }),
            same("volumes[1].mountPath", "/data/a", "volumes[0].mountPath"),
        ],
        [
            "of code and a volume",
            () => ({ code: codeAt("/code/"), volumes: [at("/code")] }),
            same("volumes[0].mountPath", "/code", "code.path"),
        ],
        [
            "of code and a view",
            () => ({ code: codeAt("/opt/view"), view: { image: "view" } }),
            same("view.prefix", "/opt/view", "code.path"),
        ],
        [
            "of a view's directories",
            () => ({ view: { image: "view", folders: ["/opt/view"] } }),
            same("view.folders[0]", "/opt/view", "view.prefix"),
        ],
        [
            "of code and the MUNGE key, whose path no argument gives",
            () => ({ code: codeAt("/etc/munge"), munge: true }),
            same("code.path", "/etc/munge", "munge"),
        ],
        [
            "of code and the user's files",
            () => ({ code: codeAt("/etc/passwd"), user: { name: "alice", uid: 1000 } }),
            same("code.path", "/etc/passwd", "user"),
        ],
        [
            "of a volume and the host names",
            () => ({ volumes: [at("/etc/hosts")], network: "hosts" }),
            same("volumes[0].mountPath", "/etc/hosts", 'network "hosts"'),
        ],
        [
            "of the pod template and code",
            () => ({
                code: codeAt("/code"),
                podTemplate: { spec: { containers: [{ name: "flux", volumeMounts: [at("/code/")] }] } },
            }),
            same("podTemplate.spec.containers[flux].volumeMounts[/code/]", "/code", "code.path"),
        ],
        [
            "of the pod template in place of code",
            () => ({
                code: codeAt("/code"),
                podTemplate: { spec: { containers: [{ name: "flux", volumeMounts: [at("/code")] }] } },
            }),
            same("podTemplate.spec.containers[flux].volumeMounts[/code]", "/code", "code.path"),
        ],
        [
            "of the pod template and the cluster itself",
            () => ({
                podTemplate: { spec: { containers: [{ name: "flux", volumeMounts: [at("/var/lib/flux/")] }] } },
            }),
            same(
                "podTemplate.spec.containers[flux].volumeMounts[/var/lib/flux/]",
                "/var/lib/flux",
                "the cluster itself",
            ),
        ],
        [
            "of a container of the pod template",
            () => ({
                podTemplate: {
                    spec: { initContainers: [{ name: "own", volumeMounts: [at("/a"), { ...at("/a"), name: "b" }] }] },
                },
            }),
            same(
                "podTemplate.spec.initContainers[own].volumeMounts[/a]",
                "/a",
                "podTemplate.spec.initContainers[own].volumeMounts[/a]",
            ),
        ],
    ];
    for (const [which, args, expected] of cases) {
        it(`may not be at one path: ${which}`, () => assert.deepEqual(problems(args()), [expected]));
    }

    it("may be at one path in two containers, and are named once", () => {
        const sidecars = [{ name: "side", image: "side" }];
        assert.deepEqual(problems({ sidecars, volumes: [at("/data")] }), []);
        assert.equal(problems({ sidecars, volumes: [at("/data"), { ...at("/data"), name: "more" }] }).length, 1);
    });

    it("may be one that the pod template gives another volume", () => {
        const flux = { name: "flux", volumeMounts: [{ name: "disk", mountPath: "/var/lib/flux" }] };
        assert.deepEqual(problems({ podTemplate: { spec: { containers: [flux] } } }), []);
    });

    it("may be at the code's path in a container that doesn't unpack it", () => {
        const own = { name: "own", volumeMounts: [at("/code")] };
        const podTemplate = { spec: { initContainers: [own] } };
        assert.deepEqual(problems({ code: codeAt("/code"), podTemplate }), []);
    });

    it("may be below the code's path, but not where the code has files", () => {
        const volumes = [at("/code/data")];
        assert.deepEqual(problems({ code: codeAt("/code"), volumes }), []);
        assert.deepEqual(problems({ code: codeAt("/code", { "data2/a": "" }), volumes }), []);
        assert.deepEqual(problems({ code: codeAt("/code", { "data/a": "", "data/b/c": "" }), volumes }), [
            "volumes[0].mountPath: is /code/data, so each rank would write files of code.path into the volume at /code/data: " +
                "data/a, data/b/c. Leave these files out, or use another path.",
        ]);
    });

    it("are not judged at the paths of the cluster itself, which the arguments' own rules refuse", () => {
        assert.equal(problems({ volumes: [at("/var/lib/flux")] }).length, 1);
    });
});
