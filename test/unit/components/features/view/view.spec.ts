import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { keygenPod } from "../../../../../components/features/key/keygenPod";
import { ViewMethod } from "../../../../../components/features/view";
import { validateView } from "../../../../../components/features/view/rules";
import { Keygen } from "../../../../../components/features/key/keygen";
import { configFiles } from "../../../../../components/pod/configMap";
import { podTemplate } from "../../../../../components/pod/template";
import { makeSpec } from "../../../support/spec";

const view = { image: "registry.example/flux-view:1", folders: ["/opt/software"] };
const podOf = (args: Partial<PlainArgs>) => {
    const spec = makeSpec(args);
    return podTemplate(spec, "hpc", configFiles(spec)).spec;
};
const viewMountsOf = (container: { volumeMounts: { name: string }[] }) =>
    container.volumeMounts.filter(({ name }) => name === "flux-view");

describe("view", () => {
    it("copies the view once in an init container, and mounts it at the paths that it was built for", () => {
        const { containers, initContainers, volumes } = podOf({ view });
        const [copy] = initContainers;
        assert.deepEqual([copy.image, copy.args], [view.image, ["/opt/view", "/opt/software"]]);
        assert.deepEqual(viewMountsOf(containers[0]), [
            { name: "flux-view", mountPath: "/opt/view", subPath: "0", readOnly: true },
            { name: "flux-view", mountPath: "/opt/software", subPath: "1", readOnly: true },
        ]);
        assert.deepEqual(
            volumes.filter(({ name }: { name: string }) => name === "flux-view"),
            [{ name: "flux-view", emptyDir: {} }],
        );
    });

    it("mounts the view as an image volume if the method says so", () => {
        const { containers, initContainers, volumes } = podOf({ view: { ...view, method: ViewMethod.ImageVolume } });
        assert.equal(initContainers, undefined);
        assert.deepEqual(viewMountsOf(containers[0])[0], {
            name: "flux-view",
            mountPath: "/opt/view",
            subPath: "opt/view",
            readOnly: true,
        });
        assert.deepEqual(volumes.find(({ name }: { name: string }) => name === "flux-view").image, {
            reference: view.image,
        });
    });

    it("makes the key with the Flux of the view", () => {
        const made = podOf({ view, keygen: Keygen.InitContainer }).initContainers;
        assert.deepEqual(
            made.map(({ name }: { name: string }) => name),
            ["flux-view", "flux-curve"],
        );
        assert.equal(viewMountsOf(made[1]).length, 2);
        const spec = makeSpec({ view, keygen: Keygen.Pod });
        assert.equal(keygenPod(spec, "hpc").spec.containers[0].image, view.image);
    });

    const cases: [object, string[]][] = [
        [view, []],
        [{ folders: [] }, ["view.image: is missing; give an image that has Flux."]],
        [
            { ...view, prefix: "opt/view" },
            ['view.prefix: is "opt/view"; it must be the absolute path of a directory, without a slash at its end.'],
        ],
        [
            { ...view, prefix: "/run/flux" },
            ["view.prefix: is /run/flux, which the cluster uses itself. Build the view for another path."],
        ],
        [
            { ...view, folders: ["/run/./flux"] },
            ["view.folders[0]: is /run/./flux, which the cluster uses itself. Build the view for another path."],
        ],
    ];
    for (const [given, expected] of cases) {
        it(`${expected.length === 0 ? "accepts" : "refuses"} ${JSON.stringify(given)}`, () => {
            const problems = validateView(makeSpec({ view: given as PlainArgs["view"] }));
            assert.deepEqual(
                problems.map(({ property, reason }) => `${property}: ${reason}`),
                expected,
            );
        });
    }
});
