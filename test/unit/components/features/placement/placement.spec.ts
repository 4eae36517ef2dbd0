import assert from "node:assert/strict";

import { Placement, placement, Zone } from "../../../../../components/features/placement";
import { podTemplate } from "../../../../../components/pod/template";
import { makeFiles, makeSpec } from "../../../support/spec";

const own = { matchLabels: { "app.kubernetes.io/instance": "lammps" } };

describe("placement", () => {
    it("spreads the ranks by default, as a preference", () => {
        assert.deepEqual(placement.pod?.(makeSpec({ zone: Zone.Spread }), "hpc"), {
            topologySpreadConstraints: [
                {
                    labelSelector: own,
                    maxSkew: 1,
                    topologyKey: "kubernetes.io/hostname",
                    whenUnsatisfiable: "ScheduleAnyway",
                },
            ],
        });
    });

    it("keeps the ranks of all exclusive clusters apart, in all namespaces", () => {
        const [spec, files] = makeFiles({ placement: Placement.Exclusive, zone: Zone.Spread });
        assert.deepEqual(placement.pod?.(spec, "hpc"), {
            affinity: {
                podAntiAffinity: {
                    requiredDuringSchedulingIgnoredDuringExecution: [
                        {
                            labelSelector: { matchLabels: { "flux-minicluster/exclusive": "true" } },
                            namespaceSelector: {},
                            topologyKey: "kubernetes.io/hostname",
                        },
                    ],
                },
            },
        });
        assert.equal(podTemplate(spec, "hpc", files).metadata.labels["flux-minicluster/exclusive"], "true");
    });

    it("packs the ranks, as a preference", () => {
        const term = { weight: 100, podAffinityTerm: { labelSelector: own, topologyKey: "kubernetes.io/hostname" } };
        assert.deepEqual(placement.pod?.(makeSpec({ placement: Placement.Pack, zone: Zone.Spread }), "hpc"), {
            affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } },
        });
    });

    it("prefers one zone by default, less than a common node, and beside all other rules", () => {
        const zone = {
            weight: 10,
            podAffinityTerm: { labelSelector: own, topologyKey: "topology.kubernetes.io/zone" },
        };
        const preferred = (of: Placement) => {
            const { affinity } = placement.pod!(makeSpec({ placement: of }), "hpc")!;
            return affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution as { weight: number }[];
        };
        assert.deepEqual([preferred("spread"), preferred("exclusive")], [[zone], [zone]]);
        assert.deepEqual([preferred("pack").map(({ weight }) => weight), preferred("pack")[1]], [[100, 10], zone]);
        const [exclusive, spread] = (["exclusive", "spread"] as const).map(
            (of) => placement.pod!(makeSpec({ placement: of }), "hpc")!,
        );
        assert.ok(exclusive.affinity.podAntiAffinity);
        assert.equal(spread.topologySpreadConstraints.length, 1);
    });

    it("is replaced by the user's affinity", () => {
        const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
        assert.deepEqual(placement.pod?.(makeSpec({ placement: Placement.Pack, affinity }), "hpc"), { affinity });
    });
});
