import assert from "node:assert/strict";

import * as fc from "fast-check";

import { isLasting, isRefusedForGood } from "../../../../../provider/observe/causes/lastingWords";

const job = (parallelism: number) => ({ spec: { parallelism } }) as any;
const quota = (requested: string, limited: string) =>
    `pods "x" is forbidden: exceeded quota: q, requested: ${requested}, used: cpu=1, limited: ${limited}`;

describe("isLasting", () => {
    it("takes words that it doesn't know for a problem that may pass", () => {
        const word = fc.constantFrom(
            "disk",
            "volume",
            "node",
            "failed",
            "not found",
            "denied",
            "error",
            "code = Internal",
        );
        const text = fc.array(word).map((words) => words.join(" "));
        fc.assert(fc.property(text, (words) => !isLasting(words)));
    });

    it("takes a lasting problem for one that may pass if the same text has a timeout", () => {
        assert.equal(isLasting("rpc error: code = InvalidArgument desc = no such tier"), true);
        assert.equal(isLasting("rpc error: code = InvalidArgument desc = describe volume: timed out"), false);
    });

    const heals: [string, string][] = [
        ["a Secret that an operator creates", 'secret "x" not found'],
        ["a ConfigMap that a user creates", 'configmap "x" not found'],
        ["a key that an operator adds", "references non-existent secret key: tls.crt"],
        ["a claim that another program creates", 'persistentvolumeclaim "x" not found'],
        ["a storage class that an operator creates", 'storageclass.storage.k8s.io "x" not found'],
        ["a runtime that a DaemonSet installs", 'no runtime for "nvidia" is configured'],
        ["the same, of CRI-O", "failed to find runtime handler nvidia from runtime list map[]"],
        ["a file system whose kernel module a DaemonSet loads", "mount: unknown filesystem type 'lustre'"],
        ["a mount program that a DaemonSet installs", "wrong fs type, bad option, bad superblock on files:/x"],
        ["a folder that a DaemonSet mounts", "hostPath type check failed: /lustre is not a directory"],
        [
            "such a folder since Kubernetes 1.37",
            "hostPath type check failed, /lustre is not a directory, unable to determine its type: no such file",
        ],
        ["a volume plugin that a DaemonSet installs", "no volume plugin matched name: example.com/flex"],
        ["a driver whose server starts", "rpc error: code = Unimplemented desc = unknown service csi.v1.Node"],
    ];
    for (const [what, words] of heals) {
        it(`gives time for ${what}`, () => assert.equal(isLasting(words), false));
    }
});

describe("isRefusedForGood", () => {
    const cases: [string, string, number, boolean][] = [
        ["a quota that one pod exceeds", quota("cpu=2", "cpu=1"), 1, true],
        ["a quota that all pods fit into", quota("cpu=2", "cpu=8"), 4, false],
        ["a quota that only some pods fit into", quota("cpu=2", "cpu=7"), 4, true],
        ["one of two exceeded resources", quota("cpu=1,requests.memory=3Gi", "cpu=8,requests.memory=2048Mi"), 1, true],
        [
            "a quota that isn't counted yet",
            'pods "x" is forbidden: status unknown for quota: q, resources: cpu',
            1,
            false,
        ],
        [
            "a service account that is created later",
            'pods "x" is forbidden: error looking up service account hpc/x: serviceaccount "x" not found',
            1,
            false,
        ],
        ["words that it doesn't know", "etcdserver: leader changed", 1, false],
    ];
    for (const [what, text, pods, expected] of cases) {
        it(`is ${expected} for ${what}`, () => assert.equal(isRefusedForGood(text, job(pods)), expected));
    }
});
