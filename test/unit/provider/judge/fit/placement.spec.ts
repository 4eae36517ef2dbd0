import fc from "fast-check";
import assert from "node:assert/strict";

import type { V1Node, V1Pod, V1PodSpec } from "@kubernetes/client-node";

import { amountsOf, sum } from "../../../../../provider/judge/fit/amounts";
import { atBest, mayGrow, roomOf, roomsOf, stays } from "../../../../../provider/judge/fit/nodes";
import { place } from "../../../../../provider/judge/fit/placement";
import { requestsOf } from "../../../../../provider/judge/fit/requests";
import { makeNode, podOn, podSpec } from "../../../support/nodes";

const LABELS = { app: "mine" };
const HOST = "kubernetes.io/hostname";
const replicaOf = (spec: V1PodSpec) => ({ namespace: "hpc", labels: LABELS, spec });
const count = (spec: V1PodSpec, nodes: V1Node[], pods: V1Pod[] = [], most = 100) =>
    place(replicaOf(spec), roomsOf(nodes, pods), most).chosen.length;

/** Affinities of the pods to those with a label. */
function rules(kind: "podAffinity" | "podAntiAffinity", topologyKey: string, more: object = {}): Partial<V1PodSpec> {
    const term = { labelSelector: { matchLabels: LABELS }, topologyKey, ...more };
    return { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function spread(topologyKey: string, more: object = {}): Partial<V1PodSpec> {
    const constraint = {
        labelSelector: { matchLabels: LABELS },
        maxSkew: 1,
        topologyKey,
        whenUnsatisfiable: "DoNotSchedule",
        ...more,
    };
    return { topologySpreadConstraints: [constraint] };
}

const zoned = (name: string, zone: string, cpu = 8) => makeNode(name, cpu, { labels: { zone } });

describe("place", () => {
    it("counts what pods have requested, except of those that have ended", () => {
        const busy = podOn("a", podSpec({ cpu: "3" }));
        const ended = { ...podOn("a", podSpec({ cpu: "3" })), status: { phase: "Succeeded" } };
        assert.equal(count(podSpec({ cpu: "2" }), [makeNode("a", 8)], [busy, ended]), 2);
    });

    it("counts the pods that a node takes at most", () => {
        assert.equal(count(podSpec(), [makeNode("a", 8, { pods: 3 })], [podOn("a", podSpec())]), 2);
    });

    it("tells why nodes are left out", () => {
        const nodes = [
            zoned("a", "x"),
            zoned("b", "y"),
            makeNode("c", 8, { labels: { zone: "x" }, taints: [{ key: "team", effect: "NoSchedule" }] }),
        ];
        const { admitting, all, unselected, untolerated } = place(
            replicaOf(podSpec({}, { nodeSelector: { zone: "x" } })),
            roomsOf(nodes, []),
            1,
        );
        const names = admitting.map(({ node }) => node.metadata?.name);
        assert.deepEqual([names, all, unselected, untolerated], [["a"], 3, 1, ["team"]]);
    });

    it("puts one pod with a port of the node on each node, and none where the port is taken", () => {
        const ports = [{ containerPort: 80, hostPort: 80 }];
        const spec = { containers: [{ name: "flux", ports }] };
        const nodes = [makeNode("a", 8), makeNode("b", 8)];
        const other = (more: object) =>
            podOn("a", { containers: [{ name: "x", ports: [{ containerPort: 80, hostPort: 80, ...more }] }] });
        assert.equal(count(spec, nodes), 2);
        assert.equal(count(spec, nodes, [other({ hostIP: "10.0.0.1" })]), 1);
        assert.equal(count(spec, nodes, [other({ protocol: "UDP" })]), 2);
        assert.equal(
            count({ ...spec, hostNetwork: true, containers: [{ name: "a", ports: [{ containerPort: 5 }] }] }, nodes),
            2,
        );
    });

    describe("with required anti-affinity", () => {
        const nodes = [zoned("a", "x"), zoned("b", "x"), zoned("c", "y")];

        it("puts one pod into each domain of its own pods", () => {
            assert.equal(count(podSpec({}, rules("podAntiAffinity", HOST)), nodes), 3);
            assert.equal(count(podSpec({}, rules("podAntiAffinity", "zone")), nodes), 2);
        });

        it("stays away from pods that are there, in the namespaces that it means", () => {
            const there = (namespace: string) => [podOn("a", podSpec(), { namespace, labels: LABELS })];
            const spec = (more: object) => podSpec({ cpu: "8" }, rules("podAntiAffinity", HOST, more));
            assert.equal(count(spec({}), nodes, there("hpc")), 2);
            assert.equal(count(spec({}), nodes, there("others")), 3);
            assert.equal(count(spec({ namespaces: ["others"] }), nodes, there("others")), 2);
            assert.equal(count(spec({ namespaceSelector: {} }), nodes, there("others")), 2);
        });

        it("stays away from pods that keep it away", () => {
            const term = rules("podAntiAffinity", "zone", { namespaces: ["hpc"] });
            assert.equal(count(podSpec({ cpu: "8" }), nodes, [podOn("a", podSpec({}, term))]), 1);
            assert.equal(
                count(podSpec({ cpu: "8" }), nodes, [podOn("a", podSpec({}, rules("podAntiAffinity", "zone")))]),
                3,
            );
        });

        it("compares the labels that matchLabelKeys name", () => {
            const spec = podSpec({}, rules("podAntiAffinity", HOST, { labelSelector: {}, matchLabelKeys: ["app"] }));
            const others = podOn("a", podSpec(), { namespace: "hpc", labels: { app: "other" } });
            assert.equal(count(spec, nodes, [others]), 3);
        });
    });

    describe("with required affinity", () => {
        const nodes = [zoned("a", "x", 8), zoned("b", "y", 16), zoned("c", "y", 8), makeNode("d", 64)];

        it("keeps the pods in the domain of the first one", () => {
            assert.equal(count(podSpec({ cpu: "4" }, rules("podAffinity", "zone")), nodes), 6);
        });

        it("goes where the pods are that it means", () => {
            const there = podOn("a", podSpec({ cpu: "4" }), { namespace: "hpc", labels: LABELS });
            assert.equal(count(podSpec({ cpu: "4" }, rules("podAffinity", "zone")), nodes, [there]), 1);
        });

        it("finds no node if no pod is there that it means", () => {
            const term = { labelSelector: { matchLabels: { app: "other" } } };
            assert.equal(count(podSpec({}, rules("podAffinity", "zone", term)), nodes), 0);
        });
    });

    describe("with a spread constraint that must be met", () => {
        const nodes = [zoned("a", "x", 8), zoned("b", "y", 2)];

        it("allows no domain more than maxSkew pods above the one with the fewest", () => {
            assert.equal(count(podSpec({ cpu: "1" }, spread("zone")), nodes), 5);
            assert.equal(count(podSpec({ cpu: "1" }, spread("zone", { maxSkew: 3 })), nodes), 7);
        });

        it("ignores a constraint that is only a preference", () => {
            assert.equal(
                count(podSpec({ cpu: "1" }, spread("zone", { whenUnsatisfiable: "ScheduleAnyway" })), nodes),
                10,
            );
        });

        it("counts pods that are there, but not those that are being deleted", () => {
            const there = (more: object) => podOn("a", podSpec(), { namespace: "hpc", labels: LABELS, ...more });
            const spec = podSpec({ cpu: "1" }, spread("zone"));
            assert.equal(count(spec, nodes, [there({})]), 4);
            assert.equal(count(spec, nodes, [there({ deletionTimestamp: new Date() })]), 5);
        });

        it("starts at zero while there are fewer domains than minDomains", () => {
            assert.equal(count(podSpec({ cpu: "1" }, spread("zone", { minDomains: 3 })), nodes), 2);
        });

        it("leaves out nodes without the label, and domains that the pods can't reach", () => {
            const all = [...nodes, makeNode("c", 8)];
            const spec = podSpec({ cpu: "1" }, { ...spread("zone"), nodeSelector: { zone: "x" } });
            assert.equal(count(podSpec({ cpu: "1" }, spread("zone")), all), 5);
            assert.equal(count(spec, all), 8);
        });
    });

    const amount = fc.integer({ min: 0, max: 6 });
    const nodes = fc
        .array(fc.tuple(amount, fc.constantFrom("x", "y"), fc.integer({ min: 0, max: 5 })), { maxLength: 6 })
        .map((all) => all.map(([cpu, zone, pods], index) => makeNode(`n${index}`, cpu, { labels: { zone }, pods })));
    const specs = fc
        .tuple(
            amount,
            fc.constantFrom({}, rules("podAntiAffinity", "zone"), rules("podAffinity", "zone"), spread("zone")),
        )
        .map(([cpu, more]) => podSpec({ cpu: String(cpu / 2) }, more));

    it("never exceeds what a node has, whatever the pods and the nodes are", () => {
        fc.assert(
            fc.property(nodes, specs, fc.array(amount, { maxLength: 6 }), (all, spec, taken) => {
                const pods = taken.map((cpu, index) => podOn(`n${index}`, podSpec({ cpu: String(cpu) })));
                const rooms = roomsOf(all, pods);
                const { chosen } = place(replicaOf(spec), rooms, 10);
                for (const room of rooms) {
                    const placed = chosen.filter((each) => each === room).length;
                    const cpu = (requestsOf(spec)["cpu"] ?? 0) * placed;
                    assert(placed === 0 || cpu === 0 || cpu <= (room.free["cpu"] ?? 0));
                    assert(placed <= room.slots);
                }
            }),
        );
    });

    it("places no fewer pods if a free node is added, except with rules about the other pods", () => {
        const more = fc.integer({ min: 0, max: 6 });
        fc.assert(
            fc.property(nodes, amount, more, (all, cpu, added) => {
                const spec = podSpec({ cpu: String(cpu) });
                assert(count(spec, [...all, makeNode("added", added)]) >= count(spec, all));
            }),
        );
    });
});

describe("a node", () => {
    const daemon = (more: Partial<V1PodSpec> = {}) =>
        podOn("a", podSpec({ cpu: "1" }, more), {
            ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true }],
        });

    it("keeps the pods of DaemonSets, unless a Job with a priority may preempt them", () => {
        assert.equal(stays(daemon(), false), true);
        assert.equal(stays(daemon(), true), false);
        assert.equal(stays(daemon({ priority: 2_000_001_000 }), true), true);
        assert.equal(stays(podOn("a", podSpec()), false), false);
    });

    it("has at best what these pods leave", () => {
        const room = roomOf(makeNode("a", 4), [daemon(), podOn("a", podSpec({ cpu: "3" }))]);
        assert.deepEqual([room.free["cpu"], atBest(room, false).free["cpu"]], [0, 3000]);
    });

    it("may get back the devices that it has lost", () => {
        const free = (gpus: string) =>
            atBest(roomOf(makeNode("a", 4, { devices: { "nvidia.com/gpu": gpus } }), []), false).free["nvidia.com/gpu"];
        assert.equal(free("8"), 8);
        assert((free("0") ?? 0) > 1e6);
        assert.equal(atBest(roomOf(makeNode("a", 4), []), false).free["nvidia.com/gpu"], undefined);
    });

    it("sums up its amounts", () =>
        assert.deepEqual(sum(amountsOf({ cpu: "1" }), amountsOf({ cpu: "2" })), { cpu: 3000 }));
});

describe("mayGrow", () => {
    for (const [what, nodes, expected] of [
        ["without nodes", [], true],
        ["with local nodes", [makeNode("a", 1), makeNode("b", 1, { providerID: "kind://docker/a/b" })], false],
        ["with a node of k3s", [makeNode("a", 1, { providerID: "k3s://a" })], false],
        ["with a node of a provider", [makeNode("a", 1), makeNode("b", 1, { providerID: "aws:///a/i-1" })], true],
    ] as const) {
        it(`is ${expected} ${what}`, () => assert.equal(mayGrow(nodes), expected));
    }
});
