import { join } from "node:path";

import { answersOk } from "../request";
import { certificate, dir, key, networkNamespace, type Context } from "../folders";
import { urlHost } from "../site";
import { flags, type Server } from "./server";

export function etcd({ addresses, programs, site }: Context): Server {
    const host = urlHost(addresses.controlPlane);
    return {
        name: "etcd",
        network: networkNamespace(site),
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "etcd",
            ...flags({
                name: "etcd",
                "data-dir": dir.etcd,
                "listen-client-urls": `https://${host}:2379`,
                "advertise-client-urls": `https://${host}:2379`,
                "listen-peer-urls": `http://${host}:2380`,
                "initial-advertise-peer-urls": `http://${host}:2380`,
                "initial-cluster": `etcd=http://${host}:2380`,
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
