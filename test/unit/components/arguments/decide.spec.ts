import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec } from "../../../../components/arguments/decide";
import { makeSpec } from "../../support/spec";

describe("resolveSpec", () => {
    it("fills in the defaults if only an image is given", () => {
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
                rank: { cores: undefined, gpus: 0 },
            },
        );
    });

    it("gives a pod a longer grace period if more has to be done at its end", () => {
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

    it("has the documented defaults", () => {
        const { broker, output, timeouts, ...spec } = makeSpec();
        assert.deepEqual(broker, {
            logLevel: 3,
            topology: undefined,
            connectTimeout: 0.1,
            attributes: {},
            config: undefined,
            extraConfig: undefined,
            scheduler: undefined,
            port: 8050,
        });
        assert.deepEqual(output, { maxBytes: 16384, secret: false, stream: false });
        assert.deepEqual(timeouts, {
            ready: 1800,
            completed: undefined,
            unschedulable: 900,
            imagePull: 120,
            podCreation: 30,
            podStart: 600,
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

    it("makes a cluster with a command ephemeral, and never retries the command", () => {
        const { backoffLimit, mode, waitFor } = makeSpec({ command: ["x"] });
        assert.deepEqual([mode, waitFor, backoffLimit], ["ephemeral", "completed", 0]);
    });

    const sizes: [string, Partial<PlainArgs>, [number, number, number]][] = [
        ["sets the quorum to all ranks if the cluster can't grow", { size: 4 }, [4, 4, 4]],
        [
            "sets the quorum to one rank if a persistent cluster can grow",
            { size: 4, maxSize: 8, command: [] },
            [1, 4, 8],
        ],
        ["sets the quorum to all ranks of a command, also if the cluster can grow", { size: 4, maxSize: 8 }, [4, 4, 8]],
        ["sets the quorum to minSize if it is given", { size: 4, minSize: 2 }, [2, 4, 4]],
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

    for (const [what, args, cores] of [
        ["requests without a limit", { resources: { requests: { cpu: "4500m" } } }, 4],
        ["a limit, not from a request below it", { resources: { limits: { cpu: "4" }, requests: { cpu: "1" } } }, 4],
        ["a request of less than a CPU, which is one core", { resources: { requests: { cpu: "100m" } } }, 1],
        ["cores, whatever the amounts are", { cores: 8, resources: { limits: { cpu: "2" } } }, 8],
        ["nothing else", { resources: { requests: { memory: "1Gi" } } }, undefined],
    ] as const) {
        it(`takes the cores of a rank from ${what}`, () => {
            assert.equal(makeSpec(args).rank.cores, cores);
        });
    }

    for (const context of [
        {},
        { runAsUser: 1000 },
        { runAsUser: 1000, runAsGroup: 50 },
        { runAsUser: 1000, fsGroup: 7 },
    ]) {
        it(`adds no fsGroup to ${JSON.stringify(context)}, because it would change the user's volumes`, () => {
            assert.deepEqual(makeSpec({ podSecurityContext: context }).podSecurityContext, context);
        });
    }

    it("leaves out hooks that are undefined", () => {
        assert.deepEqual(makeSpec({ hooks: { init: undefined, pre: "x", post: "" } }).hooks, { pre: "x", post: "" });
    });

    it("sorts the names of the secret variables", () => {
        assert.deepEqual(makeSpec({}, ["B", "A"]).secretNames, ["A", "B"]);
    });

    it("mounts volumes read-write by default", () => {
        const [volume] = makeSpec({ volumes: [{ name: "d", mountPath: "/d", emptyDir: {} }] }).volumes;
        assert.equal(volume.readOnly, false);
    });
});
