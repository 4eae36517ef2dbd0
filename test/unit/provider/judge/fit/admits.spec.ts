import assert from "node:assert/strict";

import type { V1PodSpec, V1Toleration } from "@kubernetes/client-node";

import { selects, tolerates, untolerated } from "../../../../../provider/judge/fit/admits";
import { makeNode, podSpec } from "../../../support/nodes";

describe("selects", () => {
    const node = makeNode("n1", 8, { labels: { zone: "a", cores: "8" } });
    const required = (nodeSelectorTerms: object[]): V1PodSpec =>
        podSpec(
            {},
            {
                affinity: {
                    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
                },
            },
        );
    const expression = (key: string, operator: string, ...values: string[]) =>
        required([{ matchExpressions: [{ key, operator, values }] }]);

    for (const [what, spec, expected] of [
        ["no selector", podSpec(), true],
        ["its label", podSpec({}, { nodeSelector: { zone: "a" } }), true],
        ["another value of its label", podSpec({}, { nodeSelector: { zone: "b" } }), false],
        ["In", expression("zone", "In", "a", "b"), true],
        ["In without its value", expression("zone", "In", "b"), false],
        ["NotIn of a label that it doesn't have", expression("rack", "NotIn", "b"), true],
        ["NotIn of its value", expression("zone", "NotIn", "a"), false],
        ["Exists", expression("zone", "Exists"), true],
        ["DoesNotExist", expression("zone", "DoesNotExist"), false],
        ["Gt", expression("cores", "Gt", "7"), true],
        ["Gt of its value", expression("cores", "Gt", "8"), false],
        ["Lt", expression("cores", "Lt", "9"), true],
        ["Gt of a text", expression("zone", "Gt", "1"), false],
        ["an unknown operator", expression("zone", "Like", "a"), false],
        ["its name", required([{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }]), true],
        [
            "another name",
            required([{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] }]),
            false,
        ],
        ["an empty term", required([{}]), false],
        ["no terms", required([]), false],
        ["one of two terms", required([{}, { matchExpressions: [{ key: "zone", operator: "Exists" }] }]), true],
    ] as const) {
        it(`${expected ? "accepts" : "refuses"} a node for ${what}`, () => {
            assert.equal(selects(spec, node), expected);
        });
    }
});

describe("tolerates", () => {
    const taint = { key: "team", value: "a", effect: "NoSchedule" };
    for (const [toleration, expected] of [
        [{ key: "team", value: "a" }, true],
        [{ key: "team", operator: "Equal", value: "a", effect: "NoSchedule" }, true],
        [{ key: "team", operator: "Exists" }, true],
        [{ operator: "Exists" }, true],
        [{ key: "team", value: "b" }, false],
        [{ key: "team", operator: "Exists", effect: "NoExecute" }, false],
        [{ key: "rack", operator: "Exists" }, false],
    ] as [V1Toleration, boolean][]) {
        it(`is ${expected} for ${JSON.stringify(toleration)}`, () =>
            assert.equal(tolerates(toleration, taint), expected));
    }
});

describe("untolerated", () => {
    const keyOf = (node: object, spec = podSpec(), wanted = {}) =>
        untolerated(spec, wanted, { ...makeNode("n1", 8), ...node })?.key;

    it("ignores taints that only are a preference", () => {
        assert.equal(keyOf(makeNode("n", 8, { taints: [{ key: "a", effect: "PreferNoSchedule" }] })), undefined);
    });

    it("names the first taint that keeps the pods away", () => {
        const taints = ["a", "b"].map((key) => ({ key, effect: "NoExecute" }));
        const tolerations = [{ key: "a", operator: "Exists" }];
        assert.equal(keyOf(makeNode("n", 8, { taints }), podSpec({}, { tolerations })), "b");
    });

    it("counts a cordoned node as tainted", () => {
        const cordoned = makeNode("n", 8, { unschedulable: true });
        const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }];
        assert.equal(keyOf(cordoned), "node.kubernetes.io/unschedulable");
        assert.equal(keyOf(cordoned, podSpec({}, { tolerations })), undefined);
    });

    it("takes the taint of a requested device as tolerated, as admission may add the toleration", () => {
        const taints = [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }];
        assert.equal(keyOf(makeNode("n", 8, { taints }), podSpec(), { "nvidia.com/gpu": 1 }), undefined);
        assert.equal(keyOf(makeNode("n", 8, { taints })), "nvidia.com/gpu");
    });
});
