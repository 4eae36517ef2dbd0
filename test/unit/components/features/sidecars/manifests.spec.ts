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
    it("are init containers that are started again and not waited for, so they don't keep the Job alive", () => {
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

    it("have the cluster's own volumes where the broker has them, and none of its keys", () => {
        const volumes = [{ name: "data", mountPath: "/data", hostPath: "/mnt" }];
        const [{ volumeMounts }] = containers([{ name: "log", image }], { volumes });
        assert.deepEqual(volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath).sort(), [
            "/data",
            "/run/flux",
        ]);
    });

    it("of rank 0 only are started by a script that waits on the other ranks", () => {
        const [{ command, volumeMounts }] = containers([{ name: "web", image, command: ["serve"], leadOnly: true }]);
        assert.deepEqual(command, ["/bin/sh", "/etc/flux-minicluster/sidecar.sh", "serve"]);
        assert.ok(volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === "/etc/flux-minicluster"));
    });

    it("leave the pod as it is where there are none", () => assert.equal(containers([]), undefined));
});
