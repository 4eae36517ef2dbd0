import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { dir, kubeconfigOf, nodeName, type Context } from "../folders";
import { answersOk } from "../request";
import { urlHost } from "../site";
import type { Server } from "./server";

export function kubeProxy(context: Context): Server {
    const { addresses, programs } = context;
    const config = join(dir.config, "kube-proxy.yaml");
    return {
        name: "kube-proxy",
        command: join(programs.kubernetes, "kubernetes"),
        args: ["kube-proxy", `--config=${config}`],
        prepare: () => writeFileSync(config, JSON.stringify(proxyConfig(context), null, 2)),
        isHealthy: () => answersOk(`http://${urlHost(addresses.node)}:10256/healthz`),
    };
}

function proxyConfig({ addresses, options }: Context): object {
    const host = urlHost(addresses.node);
    return {
        apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
        kind: "KubeProxyConfiguration",
        mode: options.proxy,
        clientConnection: { kubeconfig: kubeconfigOf("proxy") },
        hostnameOverride: nodeName,
        bindAddress: addresses.node,
        healthzBindAddress: `${host}:10256`,
        metricsBindAddress: `${host}:10249`,
        clusterCIDR: addresses.podRange,
        detectLocalMode: "ClusterCIDR",
        // kube-proxy must not change the limits of connections, which belong to the machine.
        conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    };
}
