import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { kubeconfigOf, type Context } from "../folders";
import type { ClusterNode } from "../nodes/place";
import { answersOk } from "../request";
import { urlHost } from "../site";
import type { Server } from "./server";

export function kubeProxy(context: Context, node: ClusterNode): Server {
    const { programs } = context;
    const config = join(node.configDir, "kube-proxy.yaml");
    return {
        name: node.nameOf("kube-proxy"),
        network: node.network,
        command: join(programs.kubernetes, "kubernetes"),
        args: ["kube-proxy", `--config=${config}`],
        prepare: () => writeFileSync(config, JSON.stringify(proxyConfig(context, node), null, 2)),
        isHealthy: () => answersOk(`http://${urlHost(node.address)}:10256/healthz`),
    };
}

function proxyConfig({ addresses, options }: Context, node: ClusterNode): object {
    const host = urlHost(node.address);
    return {
        apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
        kind: "KubeProxyConfiguration",
        mode: options.proxy,
        clientConnection: { kubeconfig: kubeconfigOf("proxy") },
        hostnameOverride: node.name,
        bindAddress: node.address,
        healthzBindAddress: `${host}:10256`,
        metricsBindAddress: `${host}:10249`,
        clusterCIDR: addresses.podRange,
        detectLocalMode: "ClusterCIDR",
        // kube-proxy must not change the limits of connections, which belong to the machine.
        conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    };
}
