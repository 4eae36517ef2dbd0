import assert from "node:assert/strict";

import type { V1LimitRangeItem, V1PodSpec, V1ResourceQuotaSpec } from "@kubernetes/client-node";

import { refusalsByLimitRanges, withLimitRanges } from "../../../../../provider/judge/fit/limitRanges";
import { allowancesOf, refusalsByQuotas } from "../../../../../provider/judge/fit/quotas";
import { podSpec } from "../../../support/nodes";

describe("LimitRanges", () => {
    const limitRange = (item: Partial<V1LimitRangeItem> & { default?: Record<string, string> }) => [
        { metadata: { name: "small" }, spec: { limits: [{ type: "Container", ...item }] } },
    ];

    it("give the values that a container doesn't have", () => {
        const defaults = { default: { cpu: "2", memory: "1Gi" }, defaultRequest: { cpu: "1" } };
        const { containers } = withLimitRanges(podSpec({ cpu: "3" }), limitRange(defaults));
        assert.deepEqual(containers[0]?.resources, {
            limits: { cpu: "2", memory: "1Gi" },
            requests: { cpu: "3" },
        });
    });

    for (const [what, item, spec, expected] of [
        [
            "a request below the minimum",
            { min: { cpu: "2" } },
            podSpec({ cpu: "1" }),
            ["LimitRange small wants at least 2 cpu, container flux has 1 cpu"],
        ],
        [
            "no limit below a maximum",
            { max: { memory: "1Gi" } },
            podSpec({ cpu: "1" }),
            ["LimitRange small allows at most 1 GiB memory, container flux has no value for memory"],
        ],
        [
            "a limit above the maximum",
            { max: { cpu: "1" } },
            { containers: [{ name: "flux", resources: { limits: { cpu: "2" } } }] },
            ["LimitRange small allows at most 1 cpu, container flux has 2 cpu"],
        ],
        [
            "a pod above the maximum of pods",
            { type: "Pod", max: { cpu: "3" } },
            { containers: ["a", "b"].map((name) => ({ name, resources: { limits: { cpu: "2" } } })) },
            ["LimitRange small allows at most 3 cpu, each pod has 4 cpu"],
        ],
        [
            "a limit too far above the request",
            { maxLimitRequestRatio: { cpu: "2" } },
            { containers: [{ name: "flux", resources: { limits: { cpu: "3" }, requests: { cpu: "1" } } }] },
            ["LimitRange small allows a limit of cpu up to 2 times the request, container flux has another one"],
        ],
        [
            "a container of the cluster's own, which has no argument",
            { min: { cpu: "50m" }, maxLimitRequestRatio: { cpu: "4" } },
            {
                containers: [],
                initContainers: [
                    { name: "flux-elastic", resources: { limits: { cpu: "200m" }, requests: { cpu: "10m" } } },
                ],
            },
            [
                "LimitRange small wants at least 0.05 cpu, container flux-elastic has 0.01 cpu (change its resources in podTemplate.spec.initContainers)",
                "LimitRange small allows a limit of cpu up to 4 times the request, container flux-elastic has another one (change its resources in podTemplate.spec.initContainers)",
            ],
        ],
        [
            "right values",
            { min: { cpu: "1" }, max: { cpu: "2" }, maxLimitRequestRatio: { cpu: "2" } },
            { containers: [{ name: "flux", resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }] },
            [],
        ],
        [
            "a request above its default limit",
            { default: { cpu: "1" } },
            withLimitRanges(podSpec({ cpu: "2" }), limitRange({ default: { cpu: "1" } })),
            ["container flux requests 2 cpu, more than its limit of 1 cpu from a LimitRange"],
        ],
        ["claims", { type: "PersistentVolumeClaim", max: { storage: "1Gi" } }, podSpec(), []],
    ] as [string, Partial<V1LimitRangeItem>, V1PodSpec, string[]][]) {
        it(`judge ${what}`, () => assert.deepEqual(refusalsByLimitRanges(spec, limitRange(item)), expected));
    }
});

describe("ResourceQuotas", () => {
    const quota = (hard: Record<string, string>, used: Record<string, string>, spec: V1ResourceQuotaSpec = {}) => [
        { metadata: { name: "team-a" }, spec, status: { hard, used } },
    ];
    const nowOf = (spec: V1PodSpec, quotas: ReturnType<typeof quota>, ...more: [{ spec: V1PodSpec; count: number }?]) =>
        allowancesOf(spec, quotas, more[0]).map(({ ever, now }) => [now, ever]);

    it("leave what isn't used", () => {
        assert.deepEqual(nowOf(podSpec({ cpu: "8" }), quota({ "requests.cpu": "32" }, { "requests.cpu": "16" })), [
            [2, 4],
        ]);
        assert.deepEqual(nowOf(podSpec({ cpu: "8" }), quota({ cpu: "32", pods: "3" }, { cpu: "0", pods: "3" })), [
            [4, 4],
            [0, 3],
        ]);
    });

    it("count what the pods free that the update removes", () => {
        const removed = { spec: podSpec({ cpu: "4" }), count: 2 };
        assert.deepEqual(nowOf(podSpec({ cpu: "8" }), quota({ cpu: "32" }, { cpu: "32" }), removed), [[1, 4]]);
    });

    it("count limits, devices and storage by their names", () => {
        const resources = { limits: { cpu: "2" }, requests: { "nvidia.com/gpu": "1", "ephemeral-storage": "1Gi" } };
        const hard = {
            "limits.cpu": "4",
            "requests.nvidia.com/gpu": "3",
            "ephemeral-storage": "5Gi",
            "count/pods": "9",
        };
        const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
        assert.deepEqual(
            nowOf({ containers: [{ name: "a", resources }] }, quota(hard, used)).map(([now]) => now),
            [2, 3, 5, 9],
        );
    });

    it("are left out until their use is known", () => {
        assert.deepEqual(nowOf(podSpec({ cpu: "8" }), quota({ cpu: "1" }, {})), []);
    });

    for (const [what, spec, pod, isCounted] of [
        ["NotTerminating", { scopes: ["NotTerminating"] }, podSpec(), true],
        ["Terminating", { scopes: ["Terminating"] }, podSpec(), false],
        ["Terminating, with a deadline", { scopes: ["Terminating"] }, podSpec({}, { activeDeadlineSeconds: 1 }), true],
        ["BestEffort", { scopes: ["BestEffort"] }, podSpec(), true],
        ["BestEffort, with a request", { scopes: ["BestEffort"] }, podSpec({ cpu: "1" }), false],
        ["NotBestEffort, with a request", { scopes: ["NotBestEffort"] }, podSpec({ cpu: "1" }), true],
        [
            "its PriorityClass",
            { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] } },
            podSpec({}, { priorityClassName: "high" }),
            true,
        ],
        [
            "a PriorityClass, without a class",
            {
                scopeSelector: {
                    matchExpressions: [{ scopeName: "PriorityClass", operator: "NotIn", values: ["high"] }],
                },
            },
            podSpec(),
            false,
        ],
        ["an unknown scope", { scopes: ["Tomorrow"] }, podSpec(), false],
    ] as [string, V1ResourceQuotaSpec, V1PodSpec, boolean][]) {
        it(`${isCounted ? "count" : "don't count"} pods in the scope ${what}`, () => {
            assert.equal(nowOf(pod, quota({ pods: "1" }, { pods: "0" }, spec)).length, isCounted ? 1 : 0);
        });
    }

    it("refuse containers without a value that they count", () => {
        const quotas = quota({ "limits.memory": "1Gi", "requests.cpu": "4", pods: "1" }, {});
        const containers = [{ name: "a", resources: { requests: { cpu: "1" } } }, { name: "b" }];
        assert.deepEqual(refusalsByQuotas({ containers }, quotas), [
            "quota team-a requires limits.memory of each container, and these have none: a, b",
            "quota team-a requires requests.cpu of each container, and these have none: b",
        ]);
        assert.deepEqual(refusalsByQuotas({ containers, resources: { requests: { cpu: "1" } } }, quotas), []);
    });
});
