import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { dir, kubeconfigOf, networkNamespace, type Context } from "../folders";
import { answersOk } from "../request";
import { urlHost } from "../site";
import type { Server } from "./server";

export function coredns({ addresses, programs, site }: Context): Server {
    const corefile = join(dir.config, "Corefile");
    return {
        name: "coredns",
        network: networkNamespace(site),
        command: join(programs.coredns, "coredns"),
        args: ["-conf", corefile],
        prepare: () => writeFileSync(corefile, corefileText(addresses.controlPlane)),
        isHealthy: () => answersOk(`http://${urlHost(addresses.controlPlane)}:8181/ready`),
    };
}

/**
 * The cache is on, as in most Kubernetes clusters. It keeps the answer for a name that doesn't exist yet, and the start
 * of a MiniCluster must work in spite of that.
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
