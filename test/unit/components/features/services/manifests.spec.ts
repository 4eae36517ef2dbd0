import assert from "node:assert/strict";

import { servicesDeployment, servicesService } from "../../../../../components/features/services/manifests";
import { leadSelector, podSelector } from "../../../../../provider/contract/labels";
import { makeSpec } from "../../../support/spec";

describe("services", () => {
    const spec = makeSpec({
        imagePullSecrets: ["pull"],
        podSecurityContext: { runAsUser: 1000 },
        services: [
            { name: "db", image: "registry.example/mongo:8", ports: [27017] },
            {
                name: "web",
                image: "registry.example/web:1",
                ports: [80, 443],
                command: ["serve", "$(A)"],
                environment: { A: "$(B)" },
            },
        ],
    });
    const deployment = servicesDeployment(spec);
    const { template } = deployment.spec;

    it("share one pod, which is recreated when it is lost, and never runs twice", () => {
        assert.equal(deployment.metadata.name, "lammps-services");
        assert.deepEqual([deployment.spec.replicas, deployment.spec.strategy.type], [1, "Recreate"]);
        assert.deepEqual(template.spec.containers, [
            {
                name: "db",
                image: "registry.example/mongo:8",
                ports: [{ name: "port-27017", containerPort: 27017, protocol: "TCP" }],
                readinessProbe: { tcpSocket: { port: 27017 }, periodSeconds: 1 },
            },
            {
                name: "web",
                image: "registry.example/web:1",
                command: ["serve", "$$(A)"],
                env: [{ name: "A", value: "$$(B)" }],
                ports: [80, 443].map((containerPort) => ({
                    name: `port-${containerPort}`,
                    containerPort,
                    protocol: "TCP",
                })),
                readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 },
            },
        ]);
    });

    it("use the pull secrets of the ranks, and run as their images' users", () => {
        assert.deepEqual(template.spec.imagePullSecrets, [{ name: "pull" }]);
        assert.equal(template.spec.securityContext, undefined);
    });

    it("have one Service with all ports, and no label by which the Services of the ranks select them", () => {
        const service = servicesService(spec);
        assert.deepEqual(
            service.spec.ports.map(({ port }: { port: number }) => port),
            [27017, 80, 443],
        );
        const labels = Object.entries(template.metadata.labels);
        for (const [name, value] of Object.entries(service.spec.selector)) {
            assert.ok(
                labels.some(([key, text]) => key === name && text === value),
                name,
            );
        }
        for (const selector of [podSelector("lammps"), leadSelector("lammps")]) {
            assert.ok(Object.keys(selector).some((name) => !(name in template.metadata.labels)));
        }
    });
});
