import { join } from "node:path";

import { certificate, key, kubeconfigOf, networkNamespace, type Context } from "../folders";
import { answersOk } from "../request";
import { urlHost } from "../site";
import { flags, podGroupGate, type Server } from "./server";

export function controllerManager({ addresses, options, programs, site }: Context): Server {
    return {
        name: "kube-controller-manager",
        network: networkNamespace(site),
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "kube-controller-manager",
            ...flags({
                kubeconfig: kubeconfigOf("controller-manager"),
                "bind-address": addresses.controlPlane,
                "leader-elect": false,
                "use-service-account-credentials": true,
                "service-account-private-key-file": key("service-account"),
                "root-ca-file": certificate("ca"),
                "allocate-node-cidrs": false,
                "node-monitor-grace-period": `${options.nodeLost}s`,
                // The defaults, 20 and 30, would limit the creation of pods.
                "kube-api-qps": 200,
                "kube-api-burst": 300,
                ...podGroupGate(options),
            }),
        ],
        isHealthy: () => answersOk(`https://${urlHost(addresses.controlPlane)}:10257/healthz`),
    };
}
