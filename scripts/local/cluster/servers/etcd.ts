import { join } from "node:path";

import { answersOk } from "../request";
import { certificate, dir, key, nodeName, type Context } from "../folders";
import { urlHost } from "../site";
import { flags, type Server } from "./server";

export function etcd({ addresses, programs }: Context): Server {
    const host = urlHost(addresses.node);
    return {
        name: "etcd",
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "etcd",
            ...flags({
                name: nodeName,
                "data-dir": dir.etcd,
                "listen-client-urls": `https://${host}:2379`,
                "advertise-client-urls": `https://${host}:2379`,
                "listen-peer-urls": `http://${host}:2380`,
                "initial-advertise-peer-urls": `http://${host}:2380`,
                "initial-cluster": `${nodeName}=http://${host}:2380`,
                "cert-file": certificate("etcd"),
                "key-file": key("etcd"),
                "trusted-ca-file": certificate("ca"),
                "client-cert-auth": true,
                // A crash of the machine may lose data, but a crash of etcd doesn't.
                "unsafe-no-fsync": true,
            }),
        ],
        isHealthy: () => answersOk(`https://${host}:2379/health`),
    };
}
