import { leadSelector, namesOf, podSelector } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { FEATURES } from "../features";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec } from "../spec";

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

function ports(spec: MiniClusterSpec): KubernetesObject[] {
    const all = FEATURES.flatMap((feature) => feature.ports?.(spec) ?? []);
    return all.map(({ name, port, protocol }) => ({
        name,
        port,
        targetPort: port,
        protocol: "TCP",
        appProtocol: protocol,
    }));
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
    return metadataOf(spec, name, { annotations: { "pulumi.com/skipAwait": "true" } });
}
