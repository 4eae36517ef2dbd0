import { Network, Placement } from "../args";
import { labelsOf, subdomainOf } from "../../provider/contract/names";
import type { MiniClusterSpec } from "../spec";
import { fluxContainer } from "./container";
import { initContainers } from "./initContainers";
import { isMadeInPods, keyServiceAccount } from "./key";
import { compact, type KubernetesObject, mergePatch } from "../../provider/contract/object";
import { EXCLUSIVE_LABEL, placement } from "./placement";
import { sidecars } from "./sidecars";
import { mounts, volumes } from "./volumes";

/** The Job's pod template. */
export function podTemplate(
    spec: MiniClusterSpec,
    namespace: string,
    files: Readonly<Record<string, string>>,
): KubernetesObject {
    const template = {
        metadata: { labels: labels(spec), annotations: annotations(spec) },
        spec: podSpec(spec, namespace, files),
    };
    return mergePatch(template, spec.podTemplate);
}

/** By which Istio stays out. */
export function meshLabels(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "sidecar.istio.io/inject": "false" };
}

/** By which Linkerd stays out. */
export function meshAnnotations(spec: MiniClusterSpec): Record<string, string> {
    return spec.serviceMesh ? {} : { "linkerd.io/inject": "disabled" };
}

function labels(spec: MiniClusterSpec): Record<string, string> {
    return {
        ...meshLabels(spec),
        ...(spec.placement === Placement.Exclusive ? { [EXCLUSIVE_LABEL]: "true" } : {}),
        ...spec.labels,
        ...labelsOf(spec.name),
    };
}

function annotations(spec: MiniClusterSpec): Record<string, string> {
    return {
        ...meshAnnotations(spec),
        // A rank that an autoscaler moves takes the whole command with it.
        ...(spec.mode === "ephemeral"
            ? {
                  "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                  "karpenter.sh/do-not-disrupt": "true",
              }
            : {}),
        ...spec.annotations,
    };
}

function podSpec(spec: MiniClusterSpec, namespace: string, files: Readonly<Record<string, string>>): KubernetesObject {
    const all = mounts(spec, files);
    const init = initContainers(spec, all);
    return compact({
        restartPolicy: "Never",
        subdomain: spec.name,
        setHostnameAsFQDN: spec.fqdn || undefined,
        enableServiceLinks: false,
        automountServiceAccountToken: spec.automountServiceAccountToken,
        serviceAccountName: isMadeInPods(spec) ? keyServiceAccount(spec) : spec.serviceAccountName,
        terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
        hostNetwork: spec.hostNetwork || undefined,
        ...resolver(spec, namespace),
        ...whereToRun(spec),
        ...placement(spec),
        initContainers: [...init.containers, ...sidecars(spec, all)],
        containers: [fluxContainer(spec, all)],
        volumes: volumes([...all, ...init.mounts]),
    });
}

/** Without cluster DNS the node's own resolver has to do; names of ranks don't come from either then. */
function resolver(spec: MiniClusterSpec, namespace: string): KubernetesObject {
    if (spec.network === Network.Hosts) {
        return { dnsPolicy: "Default" };
    }
    return {
        dnsPolicy: spec.hostNetwork ? "ClusterFirstWithHostNet" : undefined,
        dnsConfig: { searches: [subdomainOf(spec.name, namespace, spec.clusterDomain)] },
    };
}

/** On which nodes and from which registries, for all pods of a cluster. */
export function nodesAndRegistries(spec: MiniClusterSpec): KubernetesObject {
    return {
        imagePullSecrets: spec.imagePullSecrets.map((name) => ({ name })),
        nodeSelector: spec.nodeSelector,
        tolerations: spec.tolerations.map((toleration) => compact({ ...toleration })),
    };
}

/** On which nodes, as whom, and from which registry, for pods that run Flux. */
export function whereToRun(spec: MiniClusterSpec): KubernetesObject {
    return {
        ...nodesAndRegistries(spec),
        schedulerName: spec.schedulerName,
        priorityClassName: spec.priorityClassName,
        runtimeClassName: spec.runtimeClassName,
        securityContext: spec.podSecurityContext,
    };
}
