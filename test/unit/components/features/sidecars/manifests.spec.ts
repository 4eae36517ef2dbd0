import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { configFiles } from "../../../../../components/pod/configMap";
import { job } from "../../../../../components/pod/job";
import { makeSpec } from "../../../support/spec";

const image = "registry.example/log:1";

function containers(sidecars: NonNullable<PlainArgs["sidecars"]>, args: Partial<PlainArgs> = {}) {
    const spec = makeSpec({ sidecars, ...args });
    return job(spec, "hpc", configFiles(spec)).spec.template.spec.initContainers;
}

describe("sidecars", () => {
    it("are init containers that always restart, so that they don't keep the Job running", () => {
        const [sidecar] = containers([
            { name: "log", image, command: ["tail", "$(HOME)"], environment: { A: "$(B)" } },
        ]);
        assert.deepEqual(sidecar, {
            name: "log",
            image,
            restartPolicy: "Always",
            command: ["tail", "$$(HOME)"],
            env: [
                { name: "FLUX_URI", value: "local:///run/flux/broker/local" },
                { name: "A", value: "$$(B)" },
            ],
            volumeMounts: [{ name: "flux-run", mountPath: "/run/flux" }],
        });
    });

    it("mount the cluster's volumes where the broker does, and none of its keys", () => {
        const volumes = [{ name: "data", mountPath: "/data", hostPath: "/mnt" }];
        const [{ volumeMounts }] = containers([{ name: "log", image }], { volumes });
        assert.deepEqual(volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath).sort(), [
            "/data",
            "/run/flux",
        ]);
    });

    it("start through a script that only waits on followers, if they are leadOnly", () => {
        const [{ command, volumeMounts }] = containers([{ name: "web", image, command: ["serve"], leadOnly: true }]);
        assert.deepEqual(command, ["/bin/sh", "/etc/flux-minicluster/sidecar.sh", "serve"]);
        assert.ok(volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === "/etc/flux-minicluster"));
    });

    it("leave the pod unchanged if there are none", () => assert.equal(containers([]), undefined));
});
