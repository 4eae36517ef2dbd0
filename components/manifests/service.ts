import { Network } from "../args";
import { labelsOf, leadSelector, namesOf, podSelector } from "../../provider/contract/names";
import type { MiniClusterSpec } from "../spec";
import type { KubernetesObject } from "../../provider/contract/object";

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
            ports: ports(spec),
        },
    };
}

/** Where rank 0 tells the others all addresses. */
export function hostsPort(spec: MiniClusterSpec): number {
    return spec.broker.port + 1;
}

function ports(spec: MiniClusterSpec): KubernetesObject[] {
    const { broker, network, restful } = spec;
    const port = (name: string, number: number, appProtocol: string) => ({
        name, port: number, targetPort: number, protocol: "TCP", appProtocol,
    });
    return [
        port("broker", broker.port, "tcp"),
        ...(network === Network.Hosts ? [port("hosts", hostsPort(spec), "tcp")] : []),
        ...(restful === undefined ? [] : [port("restful", restful.port, restful.tlsSecret === undefined ? "http" : "https")]),
    ];
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
