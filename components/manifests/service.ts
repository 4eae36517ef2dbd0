import { Network } from "../args";
import { labelsOf, leadSelector, namesOf, podSelector } from "../names";
import type { MiniClusterSpec } from "../spec";
import type { KubernetesObject } from "./object";

/**
 * The Service in front of rank 0: its address is there before any pod is, so that no rank has to ask a DNS server.
 * Every rank proves itself with the CURVE key, not by its name.
 */
export function leadService(spec: MiniClusterSpec): KubernetesObject {
    return {
        metadata: metadata(spec, namesOf(spec.name).lead),
        spec: {
            type: "ClusterIP",
            sessionAffinity: "None",
            publishNotReadyAddresses: true,
            selector: leadSelector(spec.name),
            ports: [
                {
                    name: "broker",
                    port: spec.broker.port,
                    targetPort: spec.broker.port,
                    protocol: "TCP",
                    appProtocol: "tcp",
                },
                ...(spec.network === Network.Hosts ? [hostsServicePort(spec)] : []),
            ],
        },
    };
}

/** Where rank 0 tells the others all addresses. */
export function hostsPort(spec: MiniClusterSpec): number {
    return spec.broker.port + 1;
}

function hostsServicePort(spec: MiniClusterSpec): KubernetesObject {
    const port = hostsPort(spec);
    return { name: "hosts", port, targetPort: port, protocol: "TCP", appProtocol: "tcp" };
}

/** The headless Service that gives each pod the name RANK.NAME.NAMESPACE.svc.DOMAIN, for applications. */
export function headlessService(spec: MiniClusterSpec): KubernetesObject {
    return {
        metadata: metadata(spec, spec.name),
        spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: podSelector(spec.name) },
    };
}

function metadata(spec: MiniClusterSpec, name: string) {
    // The Kubernetes provider would wait for endpoints, and those come with the Job that needs this Service.
    return { name, labels: labelsOf(spec.name), annotations: { "pulumi.com/skipAwait": "true" } };
}
