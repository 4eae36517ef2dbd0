import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { dir, kubeconfigOf, type Context } from "../folders";
import { answersOk } from "../request";
import { urlHost } from "../site";
import type { Server } from "./server";

export function coredns({ addresses, programs }: Context): Server {
    const corefile = join(dir.config, "Corefile");
    return {
        name: "coredns",
        command: join(programs.coredns, "coredns"),
        args: ["-conf", corefile],
        prepare: () => writeFileSync(corefile, corefileText(addresses.node)),
        isHealthy: () => answersOk(`http://${urlHost(addresses.node)}:8181/ready`),
    };
}

/**
 * The cache stays on, as in most clusters: a name that was asked for too early
 * is then remembered as missing, which is what a cluster's start must survive.
 */
function corefileText(address: string): string {
    return `.:53 {
  bind ${address}
  ready ${urlHost(address)}:8181
  errors
  cache 30
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfigOf("coredns")}
    pods insecure
    ttl 30
  }
}
`;
}
