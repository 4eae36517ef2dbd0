import assert from "node:assert/strict";

import { Placement, placement } from "../../../../../components/features/placement";
import { podTemplate } from "../../../../../components/pod/template";
import { makeFiles, makeSpec } from "../../../support/spec";

const own = { matchLabels: { "app.kubernetes.io/instance": "lammps" } };

describe("placement", () => {
    it("spreads the ranks by default, as a preference", () => {
        assert.deepEqual(placement.pod?.(makeSpec(), "hpc"), {
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
        const [spec, files] = makeFiles({ placement: Placement.Exclusive });
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
        assert.deepEqual(placement.pod?.(makeSpec({ placement: Placement.Pack }), "hpc"), {
            affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } },
        });
    });

    it("is replaced by the user's affinity", () => {
        const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
        assert.deepEqual(placement.pod?.(makeSpec({ placement: Placement.Pack, affinity }), "hpc"), { affinity });
    });
});
