import { leadSelector, podSelector } from "../../provider/contract/labels";
import { namesOf } from "../../provider/contract/names";
import type { KubernetesObject } from "../../provider/contract/object";
import { FEATURES } from "../features";
import { lazily } from "../parts/lazily";
import { metadataOf } from "../parts/metadata";
import type { MiniClusterSpec, Texts } from "../spec";

/**
 * The Service of the lead. Its address exists before any pod, so that no rank needs DNS to find the lead. Ranks
 * authenticate with the CURVE key, not by name.
 */
export function leadService(spec: MiniClusterSpec): KubernetesObject {
    return lazily<KubernetesObject>({
        metadata: () => metadata(spec, namesOf(spec.name).lead, leadAnnotations(spec)),
        spec: () => ({
            type: "ClusterIP",
            sessionAffinity: "None",
            publishNotReadyAddresses: true,
            selector: leadSelector(spec.name),
            ports: ports(spec),
        }),
    });
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

/** The headless Service, which gives each pod the name NAME-RANK.NAME.NAMESPACE.svc.DOMAIN for applications. */
export function headlessService(spec: MiniClusterSpec): KubernetesObject {
    return lazily<KubernetesObject>({
        metadata: () => metadata(spec, spec.name),
        spec: () => ({ clusterIP: "None", publishNotReadyAddresses: true, selector: podSelector(spec.name) }),
    });
}

function leadAnnotations(spec: MiniClusterSpec): Texts {
    return Object.assign({}, ...FEATURES.map((feature) => feature.leadAnnotations?.(spec))) as Texts;
}

function metadata(spec: MiniClusterSpec, name: string, annotations: Texts = {}) {
    // By default Pulumi waits for endpoints. Endpoints come with the Job, which needs this Service first.
    return metadataOf(spec, name, { annotations: { "pulumi.com/skipAwait": "true", ...annotations } });
}
