import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { logDir } from "../../paths";
import { certificate, dir, key, networkNamespace, type Context } from "../folders";
import { answersOk, apiUrl } from "../request";
import { urlHost } from "../site";
import { flags, podGroupGate, type Server } from "./server";

export const auditLog = join(logDir, "audit.log");
export const apiserverLog = join(logDir, "kube-apiserver.log");

export function apiserver({ addresses, options, programs, site }: Context): Server {
    const policy = join(dir.config, "audit-policy.yaml");
    return {
        name: "kube-apiserver",
        network: networkNamespace(site),
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "kube-apiserver",
            ...flags({
                "etcd-servers": `https://${urlHost(addresses.controlPlane)}:2379`,
                "etcd-cafile": certificate("ca"),
                "etcd-certfile": certificate("apiserver-client"),
                "etcd-keyfile": key("apiserver-client"),
                "bind-address": addresses.controlPlane,
                "advertise-address": addresses.controlPlane,
                "secure-port": 6443,
                "tls-cert-file": certificate("apiserver"),
                "tls-private-key-file": key("apiserver"),
                "client-ca-file": certificate("ca"),
                "authorization-mode": "Node,RBAC",
                "enable-admission-plugins": "NodeRestriction",
                "allow-privileged": true,
                "service-cluster-ip-range": addresses.serviceRange,
                "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
                "service-account-key-file": key("service-account"),
                "service-account-signing-key-file": key("service-account"),
                "kubelet-client-certificate": certificate("apiserver-client"),
                "kubelet-client-key": key("apiserver-client"),
                "kubelet-certificate-authority": certificate("ca"),
                "requestheader-client-ca-file": certificate("ca"),
                "requestheader-allowed-names": "front-proxy",
                "requestheader-username-headers": "X-Remote-User",
                "requestheader-group-headers": "X-Remote-Group",
                "requestheader-extra-headers-prefix": "X-Remote-Extra-",
                "proxy-client-cert-file": certificate("front-proxy"),
                "proxy-client-key-file": key("front-proxy"),
                // No DNS server resolves the node's name.
                "kubelet-preferred-address-types": "InternalIP",
                "audit-policy-file": policy,
                "audit-log-path": auditLog,
                // Large enough for one file, because tests count its lines.
                "audit-log-maxsize": 4096,
                // Logs the watches that the server ends; a test counts them.
                vmodule: "cache_watcher=1",
                ...podGroupGate(options),
                ...(options.podGroups === "on" ? { "runtime-config": "scheduling.k8s.io/v1beta1=true" } : {}),
            }),
        ],
        prepare: () => writeFileSync(policy, JSON.stringify(auditPolicy)),
        isHealthy: () => answersOk(apiUrl(addresses, "/readyz")),
        // Longer than the default, because unit tests run beside the first start.
        startSeconds: 180,
    };
}

const auditPolicy = {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [{ level: "Metadata" }],
};
