import assert from "node:assert/strict";

import { networkPolicy } from "../../../../components/features/network/policy";
import { headlessService, leadService } from "../../../../components/pod/services";
import { makeSpec } from "../../support/spec";

describe("leadService", () => {
    const service = leadService(makeSpec({ broker: { port: 9000 } }));

    it("has an address of its own, for rank 0 alone", () => {
        assert.equal(service.metadata.name, "lammps-lead");
        assert.equal(service.spec.type, "ClusterIP");
        assert.equal(service.spec.selector["batch.kubernetes.io/job-completion-index"], "0");
    });

    it("publishes rank 0 before it is ready, because it is ready when all others have found it", () => {
        assert.equal(service.spec.publishNotReadyAddresses, true);
        assert.equal(service.spec.sessionAffinity, "None");
    });

    it("tells service meshes that its port speaks TCP", () => {
        const port = { name: "broker", port: 9000, targetPort: 9000, protocol: "TCP", appProtocol: "tcp" };
        assert.deepEqual(service.spec.ports, [port]);
    });

    it("is not waited for, because its endpoints come with the Job that needs it", () => {
        assert.deepEqual(service.metadata.annotations, { "pulumi.com/skipAwait": "true" });
    });
});

describe("headlessService", () => {
    const service = headlessService(makeSpec());

    it("gives all pods names, before they are ready", () => {
        assert.equal(service.metadata.name, "lammps");
        assert.deepEqual(service.spec, {
            clusterIP: "None",
            publishNotReadyAddresses: true,
            selector: { "batch.kubernetes.io/job-name": "lammps" },
        });
    });
});

describe("networkPolicy", () => {
    it("admits the cluster's own pods only", () => {
        const pods = { matchLabels: { "batch.kubernetes.io/job-name": "lammps" } };
        assert.deepEqual(networkPolicy(makeSpec()).spec, {
            podSelector: pods,
            policyTypes: ["Ingress"],
            ingress: [{ from: [{ podSelector: pods }] }],
        });
    });

    it("admits nobody else to the RESTful server, unless clients are named", () => {
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
