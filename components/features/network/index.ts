import type { Input } from "@pulumi/pulumi";

import { hostOf, subdomainOf } from "../../parts/hosts";
import type { KubernetesObject } from "../../../provider/contract/object";
import { HOSTS_FILE } from "../../parts/paths";
import { lazily, replaced } from "../../parts/lazily";
import { Network } from "./kind";
import { preparedMount } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { isDnsName } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
import type { Decide, MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";

export { Network } from "./kind";

export interface NetworkArguments {
    /** How ranks, and the programs on them, find each other by name. @default Network.Service */
    network?: Input<Network>;
    /**
     * Use full host names: `hostname` prints `NAME-0.NAME.NAMESPACE.svc.DOMAIN`, and broker.toml has such names. Linux
     * takes up to 64 characters, which is checked at preview. Not with `hostNetwork`.
     * @default false
     * @see https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-sethostnameasfqdn-field
     */
    fqdn?: Input<boolean>;
    /** Use the nodes' network. The broker's port must be free there. @default false */
    hostNetwork?: Input<boolean>;
    /**
     * Let a service mesh manage the pods. If false, labels and annotations of the pods keep Istio (sidecars and ambient),
     * Linkerd, Kuma and Consul out.
     * @default false
     */
    serviceMesh?: Input<boolean>;
    /**
     * Admit connections only from the cluster's own pods, from `restful.clients` to the port of the RESTful server, and
     * from `metrics.clients` to that of the metrics. `kubectl port-forward` and `kubectl exec` are not affected.
     * @default false
     */
    networkPolicy?: boolean;
    /** Domain of the Kubernetes cluster. @default `cluster.local` */
    clusterDomain?: Input<string>;
}

export interface Decided extends Decide<NetworkArguments, keyof NetworkArguments> {
    /** The end of a full host name after the short one, with its dot; "" if host names are short. */
    readonly hostSuffix: string;
    /** Domain of the full host names. Undefined while the namespace is unknown, and if nothing needs them. */
    readonly subdomain?: string;
}

export const network: Feature<NetworkArguments, Decided> = {
    decide: (args) =>
        lazily<Decided>({
            network: () => args.network ?? Network.Service,
            fqdn: () => args.fqdn ?? false,
            hostSuffix: () => "",
            hostNetwork: () => args.hostNetwork ?? false,
            serviceMesh: () => args.serviceMesh ?? false,
            networkPolicy: () => args.networkPolicy ?? false,
            clusterDomain: () => args.clusterDomain ?? "cluster.local",
            subdomain: () => undefined,
        }),

    problems: validateNetwork,

    parameters: (spec) => ({
        hostname: spec.hostNetwork ? spec.name : undefined,
        hosts: HOSTS_FILE,
        ...(hasHosts(spec)
            ? {
                  hostsPort: String(hostsPort(spec)),
                  ranks: String(spec.maxSize),
                  subdomain: spec.subdomain,
              }
            : {}),
    }),

    ...when((spec) => hasHosts(spec) && spec, {
        files: () => scriptsIn(__dirname, "hosts.py", "start-names.sh"),
        fields: () => ({ address: "status.podIP" }),
        ports: (spec) => [{ name: "hosts", port: hostsPort(spec), protocol: "tcp" }],
        mounts: () => [preparedMount(HOSTS_FILE, "hosts", { argument: 'network "hosts"' })],
        prepare: () => ({ hosts: HOSTS_FILE }),
    }),

    pod: (spec, namespace) => ({
        setHostnameAsFQDN: spec.fqdn || undefined,
        hostNetwork: spec.hostNetwork || undefined,
        ...resolver(spec, namespace),
    }),
};

/** Port on which the lead tells the followers the addresses of all ranks. */
function hostsPort(spec: MiniClusterSpec): number {
    return spec.broker.port + 1;
}

function hasHosts(spec: MiniClusterSpec): boolean {
    return spec.network === Network.Hosts;
}

/**
 * DNS settings of the pods. The kubelet puts our domain behind those of the node, which may have wildcards: then `fqdn` helps
 * (docs/troubleshooting.md). With `network: "hosts"` they have the node's resolver, and names of ranks come from
 * /etc/hosts.
 */
function resolver(spec: MiniClusterSpec, namespace: string): KubernetesObject {
    if (hasHosts(spec)) {
        return { dnsPolicy: "Default" };
    }
    return {
        dnsPolicy: spec.hostNetwork ? "ClusterFirstWithHostNet" : undefined,
        dnsConfig: { searches: [subdomainOf(spec.name, namespace, spec.clusterDomain)] },
    };
}

/** True if the configuration files have full host names, which contain the namespace. */
function needsNamespace(spec: MiniClusterSpec): boolean {
    return spec.fqdn || hasHosts(spec);
}

/** The spec with full host names, which need the namespace. */
export function placeSpec(spec: MiniClusterSpec, namespace: string): MiniClusterSpec {
    const subdomain = () => subdomainOf(spec.name, namespace, spec.clusterDomain);
    return replaced(spec, {
        subdomain: () => (needsNamespace(spec) ? subdomain() : undefined),
        hostSuffix: () => (spec.fqdn ? `.${subdomain()}` : ""),
    });
}

/** Longest host name in Linux. */
const LONGEST_HOST_NAME = 64;

function validateNetwork(spec: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (spec.fqdn && spec.hostNetwork) {
        const reason = "is true, but with hostNetwork the host name is the node's. Remove one of them.";
        problems.push({ property: "fqdn", reason });
    }
    if (hasHosts(spec) && spec.broker.port === 65535) {
        const reason = `is 65535, but network "hosts" also needs the port after it. Use a lower port.`;
        problems.push({ property: "broker.port", reason });
    }
    if (!isDnsName(spec.clusterDomain.replace(/\.$/, ""))) {
        const reason = `is "${spec.clusterDomain}", which is not a domain. Write it like "cluster.local".`;
        problems.push({ property: "clusterDomain", reason });
    }
    return problems;
}

/** Problems that depend on the namespace. It is known at preview too. */
export function validateHostNames(spec: MiniClusterSpec, namespace: string): Problem[] {
    const longest = `${hostOf(spec.name, spec.maxSize - 1)}.${subdomainOf(spec.name, namespace, spec.clusterDomain)}`;
    if (!spec.fqdn || longest.length <= LONGEST_HOST_NAME) {
        return [];
    }
    const excess = longest.length - LONGEST_HOST_NAME;
    const reason = `makes the host name "${longest}", which has ${longest.length} characters; Linux allows ${LONGEST_HOST_NAME}.`;
    return [
        {
            property: "fqdn",
            reason: `${reason} Shorten name and namespace by ${excess} together (name counts twice), or remove fqdn.`,
        },
    ];
}
