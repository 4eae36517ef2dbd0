import assert from "node:assert/strict";

import { configFiles } from "../../../../../components/pod/configMap";
import { podTemplate } from "../../../../../components/pod/template";
import { makeSpec } from "../../../support/spec";

describe("hostIPC", () => {
    const podOf = (hostIPC?: boolean) => {
        const spec = makeSpec({ hostIPC });
        return podTemplate(spec, "hpc", configFiles(spec)).spec;
    };

    it("puts the pods into the IPC namespace of their node", () => assert.equal(podOf(true).hostIPC, true));

    it("leaves /dev/shm to the container runtime, which mounts the node's", () => {
        const names = (hostIPC?: boolean) => podOf(hostIPC).volumes.map(({ name }: { name: string }) => name);
        const paths = podOf(true).containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
        assert.deepEqual([names(true).includes("flux-shm"), paths.includes("/dev/shm")], [false, false]);
        assert.ok(names(false).includes("flux-shm"));
    });

    it("is left out of the manifest by default", () => {
        assert(!("hostIPC" in podOf()) && !("hostIPC" in podOf(false)));
    });
});
