import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { Keygen } from "../../../../../components/parts/keygen";
import { podTemplate } from "../../../../../components/pod/template";
import { makeFiles } from "../../../support/spec";

const args: Partial<PlainArgs> = {
    command: [],
    elastic: {},
    maxSize: 6,
    resources: { limits: { cpu: "2" } },
    size: 1,
};

function podOf(overrides: Partial<PlainArgs>) {
    const [spec, files] = makeFiles({ ...args, ...overrides });
    return podTemplate(spec, "hpc", files).spec;
}

const sizerOf = (overrides: Partial<PlainArgs>) =>
    podOf(overrides).initContainers.find(({ name }: { name: string }) => name === "flux-elastic");

describe("the pods of a cluster that sizes itself", () => {
    it("mount the token in the one container that needs it", () => {
        const { containers, initContainers, volumes } = podOf({ user: {} });
        const hasToken = ({ volumeMounts }: { volumeMounts: { name: string }[] }) =>
            volumeMounts.some(({ name }) => name === "flux-elastic");
        assert.deepEqual(
            [...containers, ...initContainers].filter(hasToken).map(({ name }) => name),
            ["flux-elastic"],
        );
        const { projected } = volumes.find(({ name }: { name: string }) => name === "flux-elastic");
        assert.deepEqual(projected.sources[0], { serviceAccountToken: { path: "token", expirationSeconds: 3600 } });
    });

    it("have a service account of their own, without a token elsewhere", () => {
        const { automountServiceAccountToken, serviceAccountName } = podOf({});
        assert.deepEqual([automountServiceAccountToken, serviceAccountName], [false, "lammps-elastic"]);
        assert.equal(podOf({ serviceAccountName: "mine" }).serviceAccountName, "mine");
        assert.equal(podOf({ keygen: Keygen.InitContainer }).serviceAccountName, "lammps-curve");
    });

    it("tell the limits of the size to the container, which is a native sidecar", () => {
        const { env, restartPolicy } = sizerOf({ elastic: { cooldown: 30 }, minSize: 1 });
        assert.equal(restartPolicy, "Always");
        const { value } = env.find(({ name }: { name: string }) => name === "MINICLUSTER_ELASTIC");
        assert.deepEqual(JSON.parse(value), { cooldown: 30, grace: 20, least: 1, most: 6 });
    });

    it("don't depend on the size", () => {
        assert.deepEqual(podOf({ size: 1 }), podOf({ size: 4 }));
    });

    it("stay Guaranteed if the broker's container makes them so", () => {
        const equal = { cpu: "2", memory: "1Gi" };
        const sizer = sizerOf({ resources: { limits: equal } }).resources;
        assert.deepEqual(sizer.limits, sizer.requests);
        assert.deepEqual(sizerOf({}).resources.requests, { cpu: "10m", memory: "64Mi" });
    });
});
