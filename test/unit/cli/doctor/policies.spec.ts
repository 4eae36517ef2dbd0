import assert from "node:assert/strict";

import { denials, type Policy } from "../../../../cli/doctor/policies";

const PORT = 8050;
const LABELS = { "batch.kubernetes.io/job-name": "lammps", team: "physics" };
const OWN = { podSelector: { matchLabels: { "batch.kubernetes.io/job-name": "lammps" } } };
const OTHER = { podSelector: { matchLabels: { app: "portal" } } };

const policy = (name: string, spec: Policy["spec"]): Policy => ({ metadata: { name }, spec });
const DENY_ALL = policy("deny-all", { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
const OURS = policy("lammps", { ...OWN, policyTypes: ["Ingress"], ingress: [{ from: [OWN] }] });

/** The directions that are denied. */
function denied(...all: readonly Policy[]): string[] {
    return denials(all, LABELS, PORT).map(({ text }) => /(incoming|outgoing)/.exec(text)?.[1] ?? text);
}

describe("denials by NetworkPolicies", () => {
    it("are none without a policy for the pods", () => {
        assert.deepEqual(denied(), []);
        assert.deepEqual(denied(policy("portal", { ...OTHER, policyTypes: ["Ingress", "Egress"] })), []);
    });

    it("name the policies and the cure", () => {
        const [incoming, outgoing, ...others] = denials([DENY_ALL], LABELS, PORT).sort((a, b) =>
            a.text < b.text ? -1 : 1,
        );
        assert.equal(incoming.text, "NetworkPolicy deny-all denies the incoming connections of the pods to each other");
        assert.equal(incoming.cure, "networkPolicy: true admits them");
        assert.match(outgoing.text, /^NetworkPolicy deny-all denies the outgoing connections /);
        assert.match(outgoing.cure ?? "", /docs\/troubleshooting\.md .* label batch\.kubernetes\.io\/job-name=lammps$/);
        assert.deepEqual(others, []);
    });

    it("end where another policy admits the pods", () => {
        assert.deepEqual(denied(DENY_ALL, OURS), ["outgoing"]);
        const egress = policy("egress", { ...OWN, policyTypes: ["Egress"], egress: [{ to: [OWN] }] });
        assert.deepEqual(denied(DENY_ALL, OURS, egress), []);
        assert.deepEqual(
            denied(DENY_ALL, OURS, policy("all", { podSelector: {}, policyTypes: ["Egress"], egress: [{}] })),
            [],
        );
    });

    it("heed ports, with ranges and names", () => {
        const to = (...ports: readonly object[]) =>
            denied(policy("egress", { podSelector: {}, policyTypes: ["Egress"], egress: [{ to: [OWN], ports }] }));
        assert.deepEqual(to({ port: 53 }), ["outgoing"]);
        assert.deepEqual(to({ port: 53 }, { port: 8050 }), []);
        assert.deepEqual(to({ port: 8000, endPort: 8100 }), []);
        assert.deepEqual(to({ port: 8000, endPort: 8049 }), ["outgoing"]);
        assert.deepEqual(to({ port: "broker" }), []);
    });

    it("take the types from the rules if a policy has none", () => {
        const to = (peer: object) => policy("rules", { podSelector: {}, egress: [{ to: [peer] }], ingress: [{}] });
        assert.deepEqual(denied(to(OTHER)), ["outgoing"]);
        assert.deepEqual(denied(policy("rules", { podSelector: {} })), ["incoming"]);
    });

    it("assume nothing of addresses and of namespaces by label", () => {
        const to = (peer: object) =>
            denied(policy("egress", { podSelector: {}, policyTypes: ["Egress"], egress: [{ to: [peer] }] }));
        assert.deepEqual(to({ ipBlock: { cidr: "10.0.0.0/8" } }), []);
        assert.deepEqual(to({ namespaceSelector: { matchLabels: { a: "b" } } }), []);
    });
});
