import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { certificate, key, kubeconfigOf, type Context } from "../folders";
import { socket, type ClusterNode } from "../nodes/place";
import { reserved } from "../nodes/shape";
import { answersOk } from "../request";
import { urlHost } from "../site";
import { flags, type Server } from "./server";

const healthPort = 10248;

export function kubelet(context: Context, node: ClusterNode): Server {
    const { addresses, programs } = context;
    const config = join(node.configDir, "kubelet.yaml");
    return {
        name: node.nameOf("kubelet"),
        network: node.network,
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "kubelet",
            ...flags({
                config,
                kubeconfig: kubeconfigOf(node.nameOf("kubelet")),
                "root-dir": rootDir(node),
                "cert-dir": join(kubeletDir(node), "pki"),
                "hostname-override": node.name,
                "node-ip": node.address,
                ...labels(node),
            }),
        ],
        prepare: () => {
            mkdirSync(kubeletDir(node), { recursive: true });
            if (rootDir(node) !== kubeletDir(node) && !existsSync(rootDir(node))) {
                symlinkSync(kubeletDir(node), rootDir(node));
            }
            mkdirSync(podLogsDir(node), { recursive: true });
            // Pods with `dnsPolicy: Default` get this file, not the machine's.
            writeFileSync(resolvConf(node), `nameserver ${addresses.controlPlane}\n`);
            writeFileSync(config, JSON.stringify(kubeletConfig(context, node), null, 2));
        },
        isHealthy: () => answersOk(`http://${urlHost(node.address)}:${healthPort}/healthz`),
    };
}

/** The kubelet creates sockets below its folder, and the path of a socket may have at most 107 bytes. */
const rootDir = (node: ClusterNode): string =>
    Buffer.byteLength(kubeletDir(node)) < 70 ? kubeletDir(node) : join(node.runDir, "kubelet");

const kubeletDir = ({ folder }: ClusterNode): string => join(folder, "kubelet");
const podLogsDir = ({ folder }: ClusterNode): string => join(folder, "pod-logs");
const resolvConf = ({ configDir }: ClusterNode): string => join(configDir, "resolv.conf");

function kubeletConfig({ addresses, options }: Context, node: ClusterNode): object {
    return {
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        address: node.address,
        authentication: {
            anonymous: { enabled: false },
            webhook: { enabled: true },
            x509: { clientCAFile: certificate("ca") },
        },
        authorization: { mode: "Webhook" },
        cgroupDriver: "cgroupfs",
        cgroupRoot: `/${node.cgroup}`,
        clusterDNS: [addresses.controlPlane],
        clusterDomain: "cluster.local",
        containerRuntimeEndpoint: `unix://${socket(node)}`,
        ...cpuManager(options.cpuManager),
        ...reservation(options.cpuManager, node),
        registerWithTaints: node.shape.taints ?? [],
        // Low limits, because a developer's disk may be nearly full.
        evictionHard: {
            "memory.available": "50Mi",
            "nodefs.available": "1%",
            "imagefs.available": "1%",
            "nodefs.inodesFree": "1%",
        },
        // Images are kept, because the node can't pull them again.
        imageGCHighThresholdPercent: 100,
        imageGCLowThresholdPercent: 99,
        // Without this, version 1.35 and later refuse cgroup v1.
        failCgroupV1: false,
        failSwapOn: false,
        healthzBindAddress: node.address,
        healthzPort: healthPort,
        maxPods: 250,
        // The kubelet renews its lease after a quarter of this. The default is 40.
        nodeLeaseDurationSeconds: Math.min(40, options.nodeLost),
        podLogsDir: podLogsDir(node),
        registerNode: true,
        resolvConf: resolvConf(node),
        serializeImagePulls: false,
        tlsCertFile: certificate(node.nameOf("kubelet-server")),
        tlsPrivateKeyFile: key(node.nameOf("kubelet-server")),
        volumePluginDir: join(kubeletDir(node), "volume-plugins"),
    };
}

const labels = ({ shape }: ClusterNode): Record<string, string> => {
    const pairs = Object.entries(shape.labels ?? {}).map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? {} : { "node-labels": pairs.join(",") };
};

const cpuManager = (policy: "none" | "static"): object => (policy === "static" ? { cpuManagerPolicy: "static" } : {});

/** For exclusive CPUs, the static policy needs one CPU that is reserved for the system. */
const reservation = (policy: "none" | "static", { shape }: ClusterNode): object => ({
    kubeReserved: { ...(policy === "static" ? { cpu: "1" } : {}), ...reserved(shape) },
});
