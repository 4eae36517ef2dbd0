import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { run } from "../run";
import { adminKubeconfig, certificate, dir, key, kubeconfigOf, type Context } from "./folders";
import type { ClusterNode } from "./nodes/place";
import { urlHost, type Addresses } from "./site";

interface Leaf {
    readonly name: string;
    readonly user: string;
    readonly group?: string;
    /** Only for certificates of servers. */
    readonly subjectAltNames?: readonly string[];
}

const days = "3650";

/** Users with a kubeconfig. The built-in roles of Kubernetes are bound to these names. */
const users: readonly Leaf[] = [
    { name: "admin", user: "flux-minicluster-admin", group: "system:masters" },
    { name: "controller-manager", user: "system:kube-controller-manager" },
    { name: "scheduler", user: "system:kube-scheduler" },
    { name: "proxy", user: "system:kube-proxy" },
    { name: "coredns", user: "system:coredns" },
    { name: "kube-router", user: "system:kube-router" },
    // Kueue's own configuration gives this account its rights.
    { name: "kueue", user: "system:serviceaccount:kueue-system:kueue-controller-manager" },
];

/** Creates all certificates and kubeconfigs. One authority suffices for a short-lived cluster on one machine. */
export async function makePki({ addresses }: Context, nodes: readonly ClusterNode[]): Promise<void> {
    mkdirSync(dir.pki, { recursive: true, mode: 0o700 });
    await makeAuthority();
    await Promise.all([
        ...[...servers(addresses), ...users].map(makeLeaf),
        ...nodes.map((node) => makeNodePki(addresses, node)),
    ]);
    for (const { name } of users) {
        writeKubeconfig(kubeconfigOf(name), name, addresses);
    }
    writeKubeconfig(adminKubeconfig, "admin", addresses);
    await run("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key("service-account")]);
}

/** Creates the certificates of a node's kubelet, as a client and as a server. */
export async function makeNodePki(addresses: Addresses, { address, name, nameOf }: ClusterNode): Promise<void> {
    const user = `system:node:${name}`;
    const subjectAltNames = ["DNS:localhost", `DNS:${name}`, `IP:${address}`];
    await Promise.all([
        makeLeaf({ name: nameOf("kubelet"), user, group: "system:nodes" }),
        makeLeaf({ name: nameOf("kubelet-server"), user, subjectAltNames }),
    ]);
    writeKubeconfig(kubeconfigOf(nameOf("kubelet")), nameOf("kubelet"), addresses);
}

function servers({ controlPlane, apiService }: Addresses): Leaf[] {
    const local = ["DNS:localhost", `IP:${controlPlane}`];
    const service = [
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
    ];
    return [
        { name: "etcd", user: "etcd", subjectAltNames: local },
        {
            name: "apiserver",
            user: "kube-apiserver",
            subjectAltNames: [...local, `IP:${apiService}`, ...service.map((name) => `DNS:${name}`)],
        },
        { name: "kueue-server", user: "kueue", subjectAltNames: local },
        // The API server identifies itself with it to the servers of further APIs, such as Kueue's.
        { name: "front-proxy", user: "front-proxy" },
        { name: "apiserver-client", user: "kube-apiserver", group: "system:masters" },
    ];
}

const newKey = (name: string): string[] => [
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", key(name), "-out", certificate(name), "-days", days],
];

async function makeAuthority(): Promise<void> {
    await run("openssl", ["req", "-x509", ...newKey("ca"), "-subj", "/CN=flux-minicluster-ca"]);
}

async function makeLeaf({ name, user, group, subjectAltNames }: Leaf): Promise<void> {
    const subject = `${group === undefined ? "" : `/O=${group}`}/CN=${user}`;
    const extensions = [
        "basicConstraints=critical,CA:FALSE",
        "extendedKeyUsage=serverAuth,clientAuth",
        ...(subjectAltNames === undefined ? [] : [`subjectAltName=${subjectAltNames.join(",")}`]),
    ];
    const authority = ["-CA", certificate("ca"), "-CAkey", key("ca")];
    const added = extensions.flatMap((extension) => ["-addext", extension]);
    await run("openssl", ["req", "-x509", ...newKey(name), "-subj", subject, ...authority, ...added]);
}

function writeKubeconfig(path: string, name: string, { controlPlane }: Addresses): void {
    const data = (file: string): string => readFileSync(file).toString("base64");
    const config = {
        apiVersion: "v1",
        kind: "Config",
        "current-context": "flux-minicluster",
        clusters: [
            {
                name: "flux-minicluster",
                cluster: {
                    server: `https://${urlHost(controlPlane)}:6443`,
                    "certificate-authority-data": data(certificate("ca")),
                },
            },
        ],
        users: [
            { name, user: { "client-certificate-data": data(certificate(name)), "client-key-data": data(key(name)) } },
        ],
        contexts: [{ name: "flux-minicluster", context: { cluster: "flux-minicluster", user: name } }],
    };
    // JSON is YAML.
    writeFileSync(path, JSON.stringify(config, null, 2), { mode: 0o600 });
}
