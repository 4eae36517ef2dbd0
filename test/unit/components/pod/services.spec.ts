import assert from "node:assert/strict";

import { networkPolicy } from "../../../../components/features/network/policy";
import { headlessService, leadService } from "../../../../components/pod/services";
import { makeSpec } from "../../support/spec";

describe("leadService", () => {
    const service = leadService(makeSpec({ broker: { port: 9000 } }));

    it("has an address of its own, which only the lead serves", () => {
        assert.equal(service.metadata.name, "lammps-lead");
        assert.equal(service.spec.type, "ClusterIP");
        assert.equal(service.spec.selector["batch.kubernetes.io/job-completion-index"], "0");
    });

    it("publishes the lead before it is ready, because followers have to find it for that", () => {
        assert.equal(service.spec.publishNotReadyAddresses, true);
        assert.equal(service.spec.sessionAffinity, "None");
    });

    it("declares its port as TCP for service meshes", () => {
        const port = { name: "broker", port: 9000, targetPort: 9000, protocol: "TCP", appProtocol: "tcp" };
        assert.deepEqual(service.spec.ports, [port]);
    });

    it("makes Pulumi skip its await, because its endpoints come with the Job that needs it", () => {
        assert.deepEqual(service.metadata.annotations, { "pulumi.com/skipAwait": "true" });
    });
});

describe("headlessService", () => {
    const service = headlessService(makeSpec());

    it("gives all pods names before they are ready", () => {
        assert.equal(service.metadata.name, "lammps");
        assert.deepEqual(service.spec, {
            clusterIP: "None",
            publishNotReadyAddresses: true,
            selector: { "batch.kubernetes.io/job-name": "lammps" },
        });
    });
});

describe("networkPolicy", () => {
    it("admits only the cluster's own pods", () => {
        const pods = { matchLabels: { "batch.kubernetes.io/job-name": "lammps" } };
        assert.deepEqual(networkPolicy(makeSpec()).spec, {
            podSelector: pods,
            policyTypes: ["Ingress"],
            ingress: [{ from: [{ podSelector: pods }] }],
        });
    });

    it("admits only the given clients to the RESTful server", () => {
        const own = { from: [{ podSelector: { matchLabels: { "batch.kubernetes.io/job-name": "lammps" } } }] };
        const ingressOf = (restful: object) =>
            networkPolicy(makeSpec({ command: [], networkPolicy: true, restful })).spec.ingress;
        assert.deepEqual(ingressOf({}), [own]);
        assert.deepEqual(ingressOf({ clients: [] }), [own]);
        const clients = [{ podSelector: { matchLabels: { app: "portal" } } }];
        assert.deepEqual(ingressOf({ clients, port: 5001 }), [
            own,
            { from: clients, ports: [{ port: 5001, protocol: "TCP" }] },
        ]);
    });
});
