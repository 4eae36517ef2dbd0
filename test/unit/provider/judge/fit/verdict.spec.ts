import fc from "fast-check";
import assert from "node:assert/strict";

import type { V1Node, V1Pod, V1PodSpec } from "@kubernetes/client-node";

import { type Survey, type Verdict, verdictOf, type Wish } from "../../../../../provider/judge/fit/fit";
import { makeNode, podOn, podSpec } from "../../../support/nodes";

const GPU = "nvidia.com/gpu";
const TAINT = { key: "team", effect: "NoSchedule" };

interface Case {
    readonly spec?: V1PodSpec;
    readonly wish?: Partial<Wish>;
    readonly nodes?: readonly V1Node[];
    readonly pods?: readonly V1Pod[];
    readonly survey?: Partial<Survey>;
}

function judge({ nodes = [makeNode("a", 8)], pods = [], spec = podSpec({ cpu: "8" }), survey, wish }: Case): Verdict {
    const added = wish?.added ?? 4;
    const all = { added, kept: 0, least: added, name: "lammps", namespace: "hpc", ...wish };
    return verdictOf(
        { template: { metadata: { labels: { app: "mine" } }, spec }, ...all },
        { nodes, pods, quotas: [], limitRanges: [], devices: [], unread: [], ...survey },
    );
}

/** The class, and the text without its last full stop. */
function told(given: Case): string {
    const { class: kind, text } = judge(given);
    return text === "" ? kind : `${kind}: ${text.replace(/\.$/, "")}`;
}

const quota = (hard: string, used: string) => [
    { metadata: { name: "team-a" }, spec: {}, status: { hard: { cpu: hard }, used: { cpu: used } } },
];

describe("verdictOf", () => {
    it("tells how many pods fit now, what a quota leaves, and the size that starts at once", () => {
        const nodes = [
            makeNode("a", 32),
            makeNode("b", 32),
            ...["c", "d", "e"].map((name) => makeNode(name, 32, { taints: [TAINT] })),
        ];
        const pods = [podOn("a", podSpec({ cpu: "16" })), podOn("b", podSpec({ cpu: "22" }))];
        assert.equal(
            told({ nodes, pods, survey: { quotas: quota("32", "16") } }),
            "waits: 4 pods of 8 cpu: 3 fit now (26 of 64 cpu free on 2 of 5 nodes); quota team-a leaves 16 of 32 cpu; " +
                "size 2 would start at once",
        );
    });

    it("says nothing if all pods fit", () => {
        assert.equal(told({ nodes: [makeNode("a", 32)], survey: { quotas: quota("32", "0") } }), "now");
    });

    for (const [what, given, expected] of [
        [
            "free amounts that are spread over the nodes",
            {
                nodes: ["a", "b", "c"].map((name) => makeNode(name, 8)),
                pods: ["a", "b", "c"].map((name) => podOn(name, podSpec({ cpu: "2" }))),
                wish: { added: 2 },
            },
            "waits: 2 pods of 8 cpu: none fits now (18 of 24 cpu free, at most 6 cpu on 3 of 3 nodes); the pods wait until others end",
        ],
        [
            "taints",
            { nodes: [makeNode("a", 64, { taints: [TAINT] }), makeNode("b", 64, { unschedulable: true })] },
            "waits: 4 pods of 8 cpu: none fits now (no node admits them; of 2 nodes, 2 with taints that aren't tolerated: " +
                "team, node.kubernetes.io/unschedulable); the pods wait for a node that admits them",
        ],
        [
            "rules about other pods",
            {
                nodes: [makeNode("a", 64), makeNode("b", 64, { unschedulable: true })],
                wish: { added: 2 },
                spec: podSpec(
                    { cpu: "8" },
                    {
                        affinity: {
                            podAntiAffinity: {
                                requiredDuringSchedulingIgnoredDuringExecution: [
                                    { labelSelector: {}, topologyKey: "kubernetes.io/hostname" },
                                ],
                            },
                        },
                    },
                ),
            },
            "waits: 2 pods of 8 cpu: 1 fits now (rules of affinity and spread, host ports and the number of pods allow no more " +
                "on 1 of 2 nodes); size 1 would start at once",
        ],
        [
            "nodes that an autoscaler adds",
            { nodes: [makeNode("a", 4, { providerID: "aws:///a/i-1" })], wish: { added: 1 } },
            "waits: 1 pod of 8 cpu: none fits now (4 of 4 cpu free on 1 of 1 node); the pods wait until others end; an " +
                "autoscaler may add nodes",
        ],
        [
            "the smallest number with which the cluster starts",
            { nodes: [makeNode("a", 16)], wish: { added: 4, least: 2 } },
            "waits: 4 pods of 8 cpu: 2 fit now (16 of 16 cpu free on 1 of 1 node); size 2 would start at once; the cluster " +
                "starts with 2 ranks (minSize 2); its nodes hold at most 2 of 4 pods",
        ],
        [
            "pods by which a cluster grows",
            {
                nodes: [makeNode("a", 32)],
                pods: [podOn("a", podSpec({ cpu: "16" }))],
                wish: { added: 3, kept: 1 },
            },
            "waits: 3 more pods of 8 cpu: 2 fit now (16 of 32 cpu free on 1 of 1 node); size 3 would start at once",
        ],
        [
            "what isn't counted",
            {
                spec: podSpec({ cpu: "8" }, { priorityClassName: "high", volumes: [{ name: "v", ephemeral: {} }] }),
                wish: { added: 1 },
                pods: [podOn("a", podSpec({ cpu: "1" }))],
                survey: { unread: [{ what: "LimitRanges", why: "forbidden" }] },
            },
            "waits: 1 pod of 8 cpu: none fits now (7 of 8 cpu free on 1 of 1 node); the pods wait until others end. Not " +
                "counted: the places of volumes, preemption, LimitRanges (not read)",
        ],
        [
            "nodes that are too small",
            { nodes: [makeNode("a", 4), makeNode("b", 6)] },
            "never: 4 pods of 8 cpu can never start: the largest of 2 nodes has 6 cpu; change the pods, or the cluster",
        ],
        [
            "a device that no node has",
            { spec: podSpec({ [GPU]: "1" }) },
            "never: 4 pods of 1 nvidia.com/gpu can never start: no node of 1 has nvidia.com/gpu for them; change the pods, or the cluster",
        ],
        [
            "labels that no node has",
            { spec: podSpec({ cpu: "1" }, { nodeSelector: { gpu: "a100" } }) },
            "never: 4 pods of 1 cpu can never start: no node of 1 has the labels that nodeSelector and affinity require; change the pods, or the cluster",
        ],
        [
            "too few nodes",
            { nodes: [makeNode("a", 16)] },
            "never: 4 pods of 8 cpu can never start: 1 node holds at most 2 of them, also without the other pods, and 4 are needed; size 2 could start",
        ],
        [
            "a quota's maximum",
            { nodes: [makeNode("a", 64)], survey: { quotas: quota("16", "0") } },
            "never: 4 pods of 8 cpu can never start: quota team-a is 16 cpu in all, and 4 pods need 32 cpu; size 2 could start",
        ],
        [
            "a LimitRange",
            {
                nodes: [makeNode("a", 64)],
                survey: {
                    limitRanges: [
                        { metadata: { name: "small" }, spec: { limits: [{ type: "Container", min: { cpu: "9" } }] } },
                    ],
                },
            },
            "never: 4 pods of 8 cpu can never start: LimitRange small wants at least 9 cpu, container flux has 8 cpu; change the pods, or the cluster",
        ],
    ] as [string, Case, string][]) {
        it(`tells of ${what}`, () => assert.equal(told(given), expected));
    }

    describe("calls no pods impossible", () => {
        for (const [what, given] of [
            [
                "on nodes that other pods fill",
                { nodes: [makeNode("a", 32)], pods: [podOn("a", podSpec({ cpu: "32" }))] },
            ],
            ["on cordoned and tainted nodes", { nodes: [makeNode("a", 32, { taints: [TAINT], unschedulable: true })] }],
            [
                "on a node that may get back its devices",
                { nodes: [makeNode("a", 32, { devices: { [GPU]: "0" } })], spec: podSpec({ [GPU]: "1" }) },
            ],
            ["if an autoscaler may add nodes", { nodes: [makeNode("a", 1, { providerID: "gce://a" })] }],
            ["without nodes, which an autoscaler may add", { nodes: [] }],
            ["that a quota admits later", { survey: { quotas: quota("32", "32") }, nodes: [makeNode("a", 32)] }],
            ["if enough of them can start", { nodes: [makeNode("a", 16)], wish: { least: 2 } }],
            ["if the Job that grows can get one more", { nodes: [makeNode("a", 16)], wish: { kept: 1 } }],
            [
                "if a higher priority may remove a DaemonSet",
                {
                    nodes: [makeNode("a", 32)],
                    pods: [
                        podOn("a", podSpec({ cpu: "1" }), {
                            ownerReferences: [{ kind: "DaemonSet", controller: true } as never],
                        }),
                    ],
                    spec: podSpec({ cpu: "8" }, { priorityClassName: "high" }),
                },
            ],
        ] as [string, Case][]) {
            it(what, () => assert.equal(judge(given).class, "waits"));
        }

        for (const [what, given] of [
            ["that another scheduler places", { spec: podSpec({ cpu: "9" }, { schedulerName: "volcano" }) }],
            ["without the nodes", { survey: { nodes: undefined } }],
            ["whose device a DeviceClass provides", { spec: podSpec({ [GPU]: "1" }), survey: { devices: [GPU] } }],
            [
                "whose device a DeviceClass may provide that can't be read",
                { spec: podSpec({ [GPU]: "1" }), survey: { devices: undefined } },
            ],
            [
                "whose values a LimitRange may give that can't be read",
                {
                    nodes: [makeNode("a", 9)],
                    spec: podSpec(),
                    survey: { limitRanges: undefined, quotas: quota("9", "0") },
                },
            ],
        ] as [string, Case][]) {
            it(what, () => assert.equal(judge(given).class, "now"));
        }
    });

    it("judges a Job with a queue only by what makes it impossible", () => {
        const wish = { queue: "team" };
        assert.equal(told({ wish, nodes: [makeNode("a", 32)], pods: [podOn("a", podSpec({ cpu: "32" }))] }), "now");
        assert.match(told({ wish, nodes: [makeNode("a", 4)] }), /^never: /);
    });

    it("judges by the nodes alone if the pods that are on them can't be read", () => {
        assert.equal(told({ nodes: [makeNode("a", 32)], survey: { pods: undefined } }), "now");
        assert.match(told({ survey: { pods: undefined } }), /^never: /);
    });

    it("counts the pods of the Job as free that the update replaces, and no others", () => {
        const owned = (name: string) => ({
            namespace: "hpc",
            ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid: "u", controller: true }],
        });
        const nodes = [makeNode("a", 8)];
        const pods = (name: string) => [podOn("a", podSpec({ cpu: "8" }), owned(name))];
        assert.equal(judge({ nodes, pods: pods("lammps"), wish: { added: 1 } }).class, "now");
        assert.equal(judge({ nodes, pods: pods("other"), wish: { added: 1 } }).class, "waits");
    });

    for (const [what, given, expected] of [
        ["pods that wait", { nodes: [makeNode("a", 32)], pods: [podOn("a", podSpec({ cpu: "8" }))] }, true],
        ["pods that can never start", {}, true],
        ["a cluster of which enough pods start", { nodes: [makeNode("a", 16)], wish: { least: 2 } }, false],
        ["a cluster that can't grow at once", { nodes: [makeNode("a", 16)], wish: { least: 1, kept: 1 } }, true],
        [
            "pods that may preempt others",
            {
                nodes: [makeNode("a", 32)],
                pods: [podOn("a", podSpec({ cpu: "8" }))],
                spec: podSpec({ cpu: "8" }, { priorityClassName: "high" }),
            },
            false,
        ],
        ["pods that all start", { nodes: [makeNode("a", 32)] }, false],
    ] as [string, Case, boolean][]) {
        it(`lets a user refuse ${what}: ${expected}`, () => assert.equal(judge(given).isRefusable, expected));
    }

    const amount = fc.integer({ min: 0, max: 12 });
    const node = fc.record({ cpu: amount, pods: fc.integer({ min: 0, max: 3 }), unschedulable: fc.boolean() });
    const CLASSES = ["never", "waits", "now"];

    it("never gets worse by a further node, and never by the end of another pod", () => {
        fc.assert(
            fc.property(
                fc.array(node, { minLength: 1, maxLength: 4 }),
                fc.array(amount, { maxLength: 4 }),
                fc.integer({ min: 1, max: 4 }),
                node,
                (all, taken, added, { cpu, ...more }) => {
                    const nodes = all.map((one, index) => makeNode(`n${index}`, one.cpu, one));
                    const pods = taken.map((each, index) => podOn(`n${index}`, podSpec({ cpu: String(each) })));
                    const classOf = (given: Case) => CLASSES.indexOf(judge({ ...given, wish: { added } }).class);
                    const before = classOf({ nodes, pods });
                    assert(classOf({ nodes: [...nodes, makeNode("more", cpu, more)], pods }) >= before);
                    assert(classOf({ nodes, pods: pods.slice(1) }) >= before);
                },
            ),
        );
    });

    it("calls only pods impossible that don't even fit into the empty cluster", () => {
        fc.assert(
            fc.property(
                fc.array(node, { minLength: 1, maxLength: 4 }),
                fc.integer({ min: 1, max: 4 }),
                (all, added) => {
                    const nodes = all.map((one, index) => makeNode(`n${index}`, one.cpu, one));
                    const open = all.map((one, index) => makeNode(`n${index}`, one.cpu, { pods: one.pods }));
                    const isNever = judge({ nodes, wish: { added } }).class === "never";
                    assert.equal(isNever, judge({ nodes: open, wish: { added } }).class !== "now");
                },
            ),
        );
    });
});
