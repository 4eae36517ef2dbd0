import type { ServiceSpec } from ".";
import { labelsOf } from "../../../provider/contract/labels";
import { namesOf } from "../../../provider/contract/names";
import { compact, type KubernetesObject } from "../../../provider/contract/object";
import { lazily } from "../../parts/lazily";
import { meshAnnotations, meshLabels } from "../../parts/mesh";
import { metadataOf } from "../../parts/metadata";
import { nodesAndRegistries } from "../../parts/nodes";
import { escapeExpansion, variables } from "../../parts/variables";
import type { MiniClusterSpec } from "../../spec";

/**
 * Labels of the shared services. The ranks' label is not among them, so that the Services of the ranks don't select
 * this pod.
 */
function selector(cluster: string): Record<string, string> {
    return { "app.kubernetes.io/instance": cluster, "app.kubernetes.io/component": "services" };
}

/** The Deployment of the programs that all ranks share. */
export function servicesDeployment(spec: MiniClusterSpec): KubernetesObject {
    return lazily<KubernetesObject>({
        metadata: () => metadataOf(spec, namesOf(spec.name).services),
        spec: () => deploymentSpec(spec),
    });
}

function deploymentSpec(spec: MiniClusterSpec): KubernetesObject {
    // Not podLabels and podAnnotations: a new template means a new pod, and the programs lose their data.
    const labels = { ...meshLabels(spec), ...labelsOf(spec.name), ...selector(spec.name) };
    const pod = compact({
        enableServiceLinks: false,
        automountServiceAccountToken: false,
        ...nodesAndRegistries(spec),
        containers: spec.services.map(container),
    });
    return {
        replicas: 1,
        // Two pods at a time could not share their data.
        strategy: { type: "Recreate" },
        selector: { matchLabels: selector(spec.name) },
        template: { metadata: compact({ labels, annotations: meshAnnotations(spec) }), spec: pod },
    };
}

function container({
    command,
    environment,
    image,
    name,
    ports,
    resources,
    securityContext,
}: ServiceSpec): KubernetesObject {
    return compact({
        name,
        image,
        command: command.map(escapeExpansion),
        env: variables(environment),
        ports: ports.map((containerPort) => ({ name: `port-${containerPort}`, containerPort, protocol: "TCP" })),
        resources: compact({ limits: resources.limits, requests: resources.requests }),
        securityContext,
        readinessProbe: { tcpSocket: { port: ports[0] }, periodSeconds: 1 },
    });
}

/** The Service in front of the programs that all ranks share. */
export function servicesService(spec: MiniClusterSpec): KubernetesObject {
    const ports = () => spec.services.flatMap((service) => service.ports);
    // By default Pulumi waits for endpoints, and the Deployment may be created after this Service.
    const annotations = { "pulumi.com/skipAwait": "true" };
    return lazily<KubernetesObject>({
        metadata: () => metadataOf(spec, namesOf(spec.name).services, { annotations }),
        spec: () => ({
            type: "ClusterIP",
            sessionAffinity: "None",
            selector: selector(spec.name),
            ports: ports().map((port) => ({ name: `port-${port}`, port, targetPort: port, protocol: "TCP" })),
        }),
    });
}
