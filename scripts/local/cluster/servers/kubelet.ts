import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { certificate, cgroupName, dir, key, kubeconfigOf, nodeName, socket, type Context } from "../folders";
import { answersOk } from "../request";
import { urlHost, type Site } from "../site";
import { flags, type Server } from "./server";

const healthPort = 10248;

export function kubelet(context: Context): Server {
    const { addresses, programs, site } = context;
    const config = join(dir.config, "kubelet.yaml");
    return {
        name: "kubelet",
        command: join(programs.kubernetes, "kubernetes"),
        args: [
            "kubelet",
            ...flags({
                config,
                kubeconfig: kubeconfigOf("kubelet"),
                "root-dir": rootDir(site),
                "cert-dir": join(dir.kubelet, "pki"),
                "hostname-override": nodeName,
                "node-ip": addresses.node,
            }),
        ],
        prepare: () => {
            mkdirSync(dir.kubelet, { recursive: true });
            if (rootDir(site) !== dir.kubelet && !existsSync(rootDir(site))) {
                symlinkSync(dir.kubelet, rootDir(site));
            }
            mkdirSync(dir.podLogs, { recursive: true });
            // Pods with `dnsPolicy: Default` get this file, not the machine's.
            writeFileSync(resolvConf, `nameserver ${addresses.node}\n`);
            writeFileSync(config, JSON.stringify(kubeletConfig(context), null, 2));
        },
        isHealthy: () => answersOk(`http://${urlHost(addresses.node)}:${healthPort}/healthz`),
    };
}

/** The kubelet creates sockets below its folder, and the path of a socket may have at most 107 bytes. */
const rootDir = (site: Site): string =>
    Buffer.byteLength(dir.kubelet) < 70 ? dir.kubelet : join(site.runDir, "kubelet");

const resolvConf = join(dir.config, "resolv.conf");

function kubeletConfig({ addresses, options, site }: Context): object {
    return {
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        address: addresses.node,
        authentication: {
            anonymous: { enabled: false },
            webhook: { enabled: true },
            x509: { clientCAFile: certificate("ca") },
        },
        authorization: { mode: "Webhook" },
        cgroupDriver: "cgroupfs",
        cgroupRoot: `/${cgroupName(site)}`,
        clusterDNS: [addresses.node],
        clusterDomain: "cluster.local",
        containerRuntimeEndpoint: `unix://${socket(site, "containerd")}`,
        ...cpuManager(options.cpuManager),
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
        healthzBindAddress: addresses.node,
        healthzPort: healthPort,
        maxPods: 250,
        podLogsDir: dir.podLogs,
        registerNode: true,
        resolvConf,
        serializeImagePulls: false,
        tlsCertFile: certificate("kubelet-server"),
        tlsPrivateKeyFile: key("kubelet-server"),
        volumePluginDir: join(dir.kubelet, "volume-plugins"),
    };
}

/** For exclusive CPUs, the static policy needs one CPU that is reserved for the system. */
const cpuManager = (policy: "none" | "static"): object =>
    policy === "static" ? { cpuManagerPolicy: "static", kubeReserved: { cpu: "1" } } : {};
