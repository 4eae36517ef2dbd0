import { join } from "node:path";

import { kubeconfigOf, type Context } from "../folders";
import type { ClusterNode } from "../nodes/place";
import { answersOk } from "../request";
import { urlHost } from "../site";
import { flags, type Server } from "./server";

const healthPort = 20244;

/** Enforces NetworkPolicy objects for the pods of a node. It starts when its Node object has an address. */
export function kubeRouter({ addresses, options, programs }: Context, node: ClusterNode): Server {
    const isIpv4 = options.ipFamily === "ipv4";
    return {
        name: node.nameOf("kube-router"),
        network: node.network,
        command: join(programs.policy, "kube-router"),
        args: flags({
            kubeconfig: kubeconfigOf("kube-router"),
            "hostname-override": node.name,
            "service-cluster-ip-range": addresses.serviceRange,
            "enable-ipv4": isIpv4,
            "enable-ipv6": !isIpv4,
            "health-port": healthPort,
        }),
        isHealthy: () => answersOk(`http://${urlHost(node.address)}:${healthPort}/healthz`),
    };
}
