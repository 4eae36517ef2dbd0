import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { deriveKey } from "../../../../../components/children/derivedKey";
import { configFiles } from "../../../../../components/pod/configMap";
import { job } from "../../../../../components/pod/job";
import { makeSpec } from "../../../support/spec";

function pod(args: Partial<PlainArgs>) {
    const spec = makeSpec(args);
    return job(spec, "hpc", configFiles(spec)).spec.template.spec;
}

describe("munge", () => {
    const key = { key: "munge.key", path: "munge.key" };

    for (const [what, args, secretName] of [
        ["a key of its own", { munge: true }, "lammps-secret"],
        ["a key from a Secret", { mungeSecret: "mine" }, "mine"],
    ] as const) {
        it(`mounts ${what} where munged looks for it, and a folder for the socket`, () => {
            const {
                containers: [flux],
                volumes,
            } = pod(args);
            const mounts = flux.volumeMounts.filter(({ name }: { name: string }) => name.startsWith("flux-munge"));
            assert.deepEqual(mounts, [
                { name: "flux-munge", mountPath: "/etc/munge", readOnly: true },
                { name: "flux-munge-socket", mountPath: "/run/munge" },
            ]);
            const [volume] = volumes.filter(({ name }: { name: string }) => name === "flux-munge");
            assert.deepEqual(volume.secret, { secretName, defaultMode: 0o444, items: [key] });
        });
    }

    it("adds nothing to the pods by default", () => {
        assert.doesNotMatch(JSON.stringify([pod({}), pod({ munge: false })]), /munge/i);
    });
});

describe("deriveKey", () => {
    it("derives one key from the same input, and another for each purpose, rotation and CURVE key", () => {
        const keys = [
            deriveKey("a", "munge", "", 128),
            deriveKey("a", "other", "", 128),
            deriveKey("a", "munge", "1", 128),
            deriveKey("b", "munge", "", 128),
        ];
        assert.equal(new Set(keys).size, 4);
        assert.equal(deriveKey("a", "munge", "", 128), keys[0]);
        assert.equal(Buffer.from(keys[0], "base64url").length, 128);
    });
});
