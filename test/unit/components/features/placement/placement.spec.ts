import assert from "node:assert/strict";

import { isExclusive, Placement, placement, Zone } from "../../../../../components/features/placement";
import { podTemplate } from "../../../../../components/pod/template";
import { makeFiles, makeSpec } from "../../../support/spec";

const own = { matchLabels: { "app.kubernetes.io/instance": "lammps" } };

function withFiles(args: Parameters<typeof makeFiles>[0]): Parameters<typeof podTemplate> {
    const [spec, files] = makeFiles(args);
    return [spec, "hpc", files];
}

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

    const term = (name: string) => ({ labelSelector: { matchLabels: { [name]: "true" } }, topologyKey: "rack" });
    const other = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("mine")] } };
    const nodes = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
    const softer = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
    const { affinity: apart } = placement.pod!(makeSpec({ placement: "exclusive", zone: "spread" }), "hpc")!;
    const affinities: [string, unknown, boolean][] = [
        ["of nodes", nodes, true],
        ["of pods that prefers nodes far apart", softer, true],
        ["that is the cluster's own", apart, true],
        ["that keeps other pods away", other, false],
        ["that removes the one of pods", { podAntiAffinity: null }, false],
        ["that is removed", null, false],
    ];
    for (const [what, affinity, expected] of affinities) {
        it(`${expected ? "stays" : "isn't"} exclusive with an affinity in podTemplate ${what}`, () => {
            const args = { placement: Placement.Exclusive, podTemplate: { spec: { affinity } } };
            assert.equal(isExclusive(makeSpec(args)), expected);
            const rules = podTemplate(...withFiles(args)).spec.affinity?.podAntiAffinity ?? {};
            const isApart = JSON.stringify(rules).includes("flux-minicluster/exclusive");
            assert.equal(isApart, expected, "the pods differ from what is decided");
        });
    }

    it("isn't exclusive with an affinity of its own", () => {
        assert.equal(isExclusive(makeSpec({ placement: Placement.Exclusive, affinity: apart })), false);
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
