import { join } from "node:path";

import { kubeconfigOf, networkNamespace, type Context } from "../folders";
import { answersOk } from "../request";
import { urlHost } from "../site";
import { flags, podGroupGate, type Server } from "./server";

export function scheduler({ addresses, options, programs, site }: Context): Server {
    return {
        name: "kube-scheduler",
        network: networkNamespace(site),
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "kube-scheduler",
            ...flags({
                kubeconfig: kubeconfigOf("scheduler"),
                "bind-address": addresses.controlPlane,
                "leader-elect": false,
                "kube-api-qps": 200,
                "kube-api-burst": 300,
                ...podGroupGate(options),
            }),
        ],
        isHealthy: () => answersOk(`https://${urlHost(addresses.controlPlane)}:10259/healthz`),
    };
}
