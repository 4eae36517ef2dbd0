import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec } from "../../../../components/arguments/decide";
import { makeSpec } from "../../support/spec";

describe("resolveSpec", () => {
    it("decides everything that an image alone leaves open", () => {
        const { name, mode, command, size, minSize, maxSize, waitFor, backoffLimit, rank } = resolveSpec("lammps", {
            image: "x",
        });
        assert.deepEqual(
            { name, mode, command, size, minSize, maxSize, waitFor, backoffLimit, rank },
            {
                name: "lammps",
                mode: "persistent",
                command: [],
                size: 1,
                minSize: 1,
                maxSize: 1,
                waitFor: "ready",
                backoffLimit: 2147483647,
                rank: undefined,
            },
        );
    });

    it("gives a pod more time to end in order where the end has more to do", () => {
        const archive = { hostPath: "/x" };
        const table: [Parameters<typeof makeSpec>[0], number][] = [
            [{ command: ["x"] }, 10],
            [{ command: [] }, 20],
            [{ command: [], archive }, 30],
            [{ command: [], archive, drainTimeout: 60 }, 90],
            [{ command: [], terminationGracePeriodSeconds: 5 }, 5],
        ];
        for (const [args, seconds] of table) {
            assert.equal(makeSpec(args).terminationGracePeriodSeconds, seconds);
        }
    });

    it("has the defaults that the arguments' documentation states", () => {
        const { broker, output, timeouts, ...spec } = makeSpec();
        assert.deepEqual(broker, {
            logLevel: 3,
            topology: undefined,
            connectTimeout: 2,
            attributes: {},
            config: undefined,
            port: 8050,
        });
        assert.deepEqual(output, { maxBytes: 16384, secret: false });
        assert.deepEqual(timeouts, {
            ready: 1800,
            completed: undefined,
            unschedulable: 900,
            imagePull: 120,
            podCreation: 30,
            delete: 300,
        });
        const {
            placement,
            clusterDomain,
            terminationGracePeriodSeconds,
            interrupt,
            rerunFailed,
            automountServiceAccountToken,
        } = spec;
        assert.deepEqual(
            {
                placement,
                clusterDomain,
                terminationGracePeriodSeconds,
                interrupt,
                rerunFailed,
                automountServiceAccountToken,
            },
            {
                placement: "spread",
                clusterDomain: "cluster.local",
                terminationGracePeriodSeconds: 10,
                interrupt: "refuse",
                rerunFailed: true,
                automountServiceAccountToken: false,
            },
        );
    });

    it("makes a command's cluster end with it and never retry", () => {
        const { backoffLimit, mode, waitFor } = makeSpec({ command: ["x"] });
        assert.deepEqual([mode, waitFor, backoffLimit], ["ephemeral", "completed", 0]);
    });

    const sizes: [string, Partial<PlainArgs>, [number, number, number]][] = [
        ["needs all ranks where it can't grow", { size: 4 }, [4, 4, 4]],
        ["needs one rank where it can", { size: 4, maxSize: 8 }, [1, 4, 8]],
        ["needs what is asked for", { size: 4, minSize: 2 }, [2, 4, 4]],
    ];
    for (const [sentence, args, expected] of sizes) {
        it(sentence, () => {
            const { maxSize, minSize, size } = makeSpec(args);
            assert.deepEqual([minSize, size, maxSize], expected);
        });
    }

    it("counts whole CPUs and the GPUs of every vendor in the limits", () => {
        const limits = { cpu: "7900m", "amd.com/gpu": "1", "nvidia.com/gpu": "2", memory: "4Gi" };
        assert.deepEqual(makeSpec({ resources: { limits } }).rank, { cores: 7, gpus: 3 });
    });

    it("gives Flux nothing to schedule on from requests, which a container may exceed", () => {
        assert.equal(makeSpec({ resources: { requests: { cpu: "4" } } }).rank, undefined);
    });

    const users: [string, object, object][] = [
        [
            "gives another user than root a group that may read the certificate",
            { runAsUser: 1000 },
            { runAsUser: 1000, fsGroup: 1000 },
        ],
        [
            "takes the user's own group for it",
            { runAsUser: 1000, runAsGroup: 50 },
            { runAsUser: 1000, runAsGroup: 50, fsGroup: 50 },
        ],
        ["leaves a given fsGroup alone", { runAsUser: 1000, fsGroup: 7 }, { runAsUser: 1000, fsGroup: 7 }],
        ["gives root none", { runAsUser: 0 }, { runAsUser: 0 }],
        ["gives the image's user none, because it isn't known", {}, {}],
    ];
    for (const [sentence, context, expected] of users) {
        it(sentence, () => {
            assert.deepEqual(makeSpec({ podSecurityContext: context }).podSecurityContext, expected);
        });
    }

    it("drops hooks that aren't given", () => {
        assert.deepEqual(makeSpec({ hooks: { init: undefined, pre: "x", post: "" } }).hooks, { pre: "x", post: "" });
    });

    it("sorts the names of the secret variables", () => {
        assert.deepEqual(makeSpec({}, ["B", "A"]).secretNames, ["A", "B"]);
    });

    it("mounts volumes for writing unless told", () => {
        const [volume] = makeSpec({ volumes: [{ name: "d", mountPath: "/d", emptyDir: {} }] }).volumes;
        assert.equal(volume.readOnly, false);
    });
});
